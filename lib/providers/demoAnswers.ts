import { calculate } from './demoArithmetic.ts';
import { type Asked, quoted, shortened } from './demoRequest.ts';
import { asksForSummary, demoSummary } from './demoSummary.ts';

/** A kind of question that the demo engine knows; undefined hands on to the next. */
type Answerer = (asked: Asked) => string | undefined;

/** The demo engine's whole answer, Markdown; never empty. The same request gives the same answer. */
export function demoAnswer(asked: Asked): string {
  for (const answerer of ANSWERERS) {
    const answer = answerer(asked);
    if (answer !== undefined) return answer;
  }
  return echo(asked);
}

/** Answers with `answer` where `pattern` is in the person's words. */
const on =
  (pattern: RegExp, answer: (asked: Asked) => string): Answerer =>
  (asked) =>
    pattern.test(asked.question) ? answer(asked) : undefined;

const ANSWERERS: readonly Answerer[] = [
  (asked) => (asksForSummary(asked) ? demoSummary(asked) : undefined),
  on(/\b(your|my|our|the|what)\b.*\bgoal\b|\bsystem prompt\b/i, ({ system }) => goalAnswer(goalIn(system))),
  on(/\bremember\b|\bwhat (did|have) I (say|said|ask|told|tell)/i, memory),
  on(/\bcommands?\b|^\W*help\b/i, () => COMMANDS_ANSWER),
  on(/\bconch\b|\b(who|what) are you\b|\bwhat can you do\b/i, () => ABOUT),
  on(/\btable\b/i, () => TABLE),
  on(/\bcode\b/i, () => CODE),
  on(/\b(long|essay|story)\b/i, () => LONG),
  arithmetic,
  on(/^\W*(hi|hello|hey|good (morning|evening|afternoon))\b/i, () => GREETING),
];

const GREETING =
  'Hello! I am the built-in demo: no key, no network, always the same answer to the same question. Ask me *what Conch is*, or for *a table*, *some code* or *a long answer*.';

const ABOUT =
  'Conch is a backend for chat bots: people write to a bot in their chat app, and a language model answers. One bot can live in several apps, with the same commands and the same memory rules in each. I am its built-in demo engine, so that it can be tried without a key; connect a provider to talk to a real model.';

const COMMANDS_ANSWER = `These commands work here, and \`/help\` lists all that you may use:

- \`/new\` starts a new conversation
- \`/clear\` empties my memory of this one, \`/undo\` takes the clear back
- \`/goal\` keeps a goal in front of me
- \`/stop\` ends the answer that is being written
- \`/status\` shows what is in force`;

const TABLE = `Here is a table:

| Shell | Sea | Size |
|:--|:--|--:|
| Queen conch | Caribbean | 30 cm |
| Horse conch | Gulf of Mexico | 60 cm |
| Dog whelk | North Sea | 3 cm |

**Sizes** are rounded.`;

const CODE = `Here is some code:

\`\`\`ts
export function greet(name: string): string {
  return \`Hello, \${name}!\`;
}
\`\`\`

Call it as \`greet('Conch')\`.`;

const SEAS = ['Atlantic', 'Pacific', 'Indian Ocean', 'Caribbean', 'Mediterranean', 'North Sea', 'Baltic', 'Red Sea'];

/** About 6,000 characters: more than one message of any chat app holds. */
const LONG = [
  '# A long answer',
  ...SEAS.flatMap((sea, index) => [
    `## ${index + 1}. The ${sea}`,
    `Whoever walks along the ${sea} in the morning finds shells at the line that the last tide has drawn. Most are broken; a few are whole, and in those one hears the sea. That is what people say, though what one hears is the room around, held back for a moment and given out again.`,
    `- Shells of the ${sea} lie in layers, the youngest on top.\n- Nothing is taken out of the layers; new ones are added.\n- So the order of the layers **is** the history of the shore.`,
    `It is the same with a conversation: what was said stays, what is in force follows from it, and whoever reads it from the start comes to the same end. Part ${index + 1} of ${SEAS.length} ends here.`,
  ]),
].join('\n\n');

function echo({ text, earlier }: Asked): string {
  if (text.trim() === '') return 'You sent nothing that I can read. Write me something.';
  const before = earlier.length === 0 ? '' : ` I remember ${count(earlier.length, 'earlier message')} of yours.`;
  return `You said:\n\n${quoted(text)}\n\nI am the built-in demo, so I only repeat it.${before} Ask me *what Conch is*, for *the commands*, *a table*, *some code*, *a long answer*, or a sum such as *12 * 7*.`;
}

function memory({ earlier }: Asked): string {
  if (earlier.length === 0) return 'I remember nothing: this is your first message in my memory.';
  return `I remember ${count(earlier.length, 'message')} of yours:\n\n${listed(earlier)}`;
}

function goalAnswer(goal: string | undefined): string {
  return goal ? `My goal is:\n\n${quoted(goal)}` : 'No goal is set. Set one with `/goal` and what you want to reach.';
}

/** The person's goal, unquoted: it stands between fences in the system prompt, each line quoted (SPEC 6.2). */
function goalIn(system: string): string | undefined {
  const fenced = /<goal>\n([\s\S]*?)\n<\/goal>/.exec(system)?.[1];
  return fenced?.replace(/^> ?/gmu, '').replaceAll('&lt;', '<').trim() || undefined;
}

function arithmetic({ question }: Asked): string | undefined {
  const expression = /[-(]*\d[\d\s.+\-*/×÷()]*[+\-*/×÷][\d\s.+\-*/×÷()]*/u.exec(question)?.[0].trim();
  const result = expression === undefined ? undefined : calculate(expression);
  return result === undefined ? undefined : `\`${expression}\` is **${result}**.`;
}

function listed(texts: string[]): string {
  return texts.map((text) => `- ${shortened(text)}`).join('\n');
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
