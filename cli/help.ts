/** What `conch help` prints. A command begins with two spaces and `conch`; what stands further in belongs to it. */
export const HELP = `conch: talk to Conch, and run its bots

  conch chat                           talk to it here; what is piped in is sent line by line
      --person NAME  --chat NAME       who you are and which chat it is (default: you); others have to be let in
      --wait SECONDS                   longest wait for an answer in a pipe (default: 300)
      with another text channel:       CONCH_URL, CONCH_CHAT_CHANNEL (its id) and CONCH_CHAT_SECRET

  conch doctor                         looks at everything of a tenant, and says what is wrong and what to do
  conch help [WORD]                    all commands, or those with this word, such as provider
  conch --version                      which version this is

Show
  conch tenants | channels | providers | settings | commands | skills | tool-servers | places
  conch providers models NAME          what a provider lists itself
  conch usage [--days N]               one line a day
  conch events PLACE [--after SEQ] [--limit N]
  conch people CHANNEL                 who is let in, put out, has asked or has written
  conch export tenant NAME [--file FILE]             all that is kept of a tenant, as JSON lines
  conch export data CHANNEL PERSON [--file FILE]     what somebody wrote and was answered, and what is known of them
  conch installations CHANNEL          the workspaces that its app is installed in
  conch get tenant|channel|provider|command|skill|tool-server NAME | settings
  conch get person CHANNEL PERSON
  conch manifest CHANNEL [--app slack] what the app of a channel is made from, before and after it is connected
  conch teams package CHANNEL [--file FILE]          the app to upload in Teams, as a zip file

Change (put takes the place of what was there before)
  conch put tenant NAME
  conch put channel NAME --app telegram --token - [--access owner|list|anyone] [--owner ID] [--api-root URL]
  conch put channel NAME --app discord --application-id ID --public-key KEY --bot-token -
  conch put channel NAME --app slack --signing-secret - --bot-token -
  conch put channel NAME --app slack --signing-secret - --client-id ID --client-secret -      for many workspaces
  conch put channel NAME --app teams --app-id ID --app-tenant-id ID --app-password - [--allowed-tenants ID,ID|*]
  conch put channel NAME --app text --secret - [--callback-url URL]
      --reclaim                        a new code with which another person becomes the owner
  conch put provider NAME --engine anthropic|openai|google|bedrock|openai-compatible|demo
      --api-key -  --base-url URL  --models ID,ID=TOKENS,ID:no-tools
      of bedrock: --region REGION      of openai: --keep on (it keeps the conversation)
      --check                          only if the provider takes the key
  conch put settings [--model PROVIDER/MODEL] [--effort low|medium|high|max] [--fast on|off]
      [--mode ask|plan|edit|auto|trust] [--fallback PROVIDER/MODEL]
      limits: [--turns-at-once N] [--turns-per-day N] [--tokens-per-day N] [--messages-per-minute N]
      of one answer: [--steps-per-turn N] [--tokens-per-turn N] [--minutes-per-turn N]
  conch put command NAME --description TEXT --file COMMAND.md [--argument-hint TEXT] [--who people|owner] [--enabled off]
  conch put skill NAME --description TEXT --file FILE
  conch commands push DIR              make the custom commands those of DIR: commands/NAME/meta.json, COMMAND.md
  conch skills push DIR                the same for skills: skills/NAME/SKILL.md
  conch put tool-server NAME --address URL [--token -] [--header-NAME -] [--only TOOL,TOOL]
  conch refresh tool-server NAME       ask it again what it offers
  conch put person CHANNEL PERSON [--name NAME]      let somebody in
  conch delete person CHANNEL PERSON                 put somebody out
  conch delete data CHANNEL PERSON                   what somebody wrote and was answered
  conch delete installation CHANNEL WORKSPACE        forget a workspace
  conch delete channel|provider|command|skill|tool-server NAME | settings | place PLACE
  conch delete tenant NAME --yes       with all its conversations

Everywhere
  --tenant NAME                        the tenant (default: CONCH_TENANT, else local)
  --url URL                            where Conch is (default: CONCH_URL, else the one started here)
  --json                               the API's own answer
  A value - is read from the input, and env:NAME from a variable: keep secrets out of the shell's history.

CONCH_ADMIN_TOKEN opens the administration; the one that was started here needs none. If npm start was given CONCH_DATA, give it
to conch too, which looks there for what is running.
`;

/** One command of `HELP`: the words that it is written with, and all lines about it. */
interface Entry {
  words: ReadonlySet<string>;
  lines: string[];
}

/**
 * What `conch help WORD` prints: every command that is written with these words, of one or of several things.
 * @returns undefined if there is none.
 */
export function helpAbout(words: readonly string[]): string | undefined {
  const found = ENTRIES.filter((entry) => words.every((word) => entry.words.has(oneOf(word))));
  if (words.length === 0 || found.length === 0) return undefined;
  return [...found.flatMap(({ lines }) => lines), '', MORE].join('\n');
}

const MORE = 'conch help lists all commands, and what works everywhere, such as --tenant NAME.';

/** `providers` as `provider`. */
const oneOf = (word: string) => (word === 'people' ? 'person' : word.replace(/s$/u, ''));

const ENTRIES: readonly Entry[] = entriesOf(HELP.split('\n'));

function entriesOf(lines: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    if (line.startsWith('  conch ')) entries.push({ words: wordsOf(line), lines: [line] });
    else if (line.startsWith('      ')) entries.at(-1)?.lines.push(line);
  }
  return entries;
}

/** `conch get tenant|channel NAME  what it does`: `get`, `tenant` and `channel`. Options end the words, `--version` is one. */
function wordsOf(line: string): Set<string> {
  const [, ...words] = (line.trim().split(/ {2,}/u, 1)[0] ?? '').split(/[ |]+/u);
  const options = words.findIndex((word, n) => n > 0 && /^[-[]/u.test(word));
  const own = options < 0 ? words : words.slice(0, options);
  return new Set(own.map((word) => oneOf(word.replace(/^--/u, ''))).filter((word) => /^[a-z][a-z-]*$/u.test(word)));
}
