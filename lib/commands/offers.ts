import { ran } from '../domain/decide.ts';
import type { Content } from '../domain/events.ts';
import type { ActionChoice } from '../ports/actions.ts';
import { type CommandContext, detailOf, type Handler, type ReplyContext } from './command.ts';
import { parseChatCommand } from './parse.ts';
import { commandNamed } from './registry.ts';
import { similarCommands } from './similar.ts';
import { escapeMarkdown } from './words.ts';

/** What answers words that are no command as they stand: what was probably meant, and Send as a message. */

/** What the event keeps: all that was typed with what was quoted, or of too long a message the name alone. */
type Detail = { quote?: Content['quote']; typed?: string; name?: string };

/** Each choice holds the words again: with more of them the item of the choices could be too large to store. */
const OFFERED_CHARS = 8_000;

/** Behind an app's own command the name stands without a slash, and may be no name at all. */
function parsedOf(typed: string): { name: string; args: string } {
  const parsed = parseChatCommand(typed) ?? parseChatCommand(`/${typed}`);
  return parsed ?? { name: typed.split(/\s/u, 1)[0] ?? '', args: '' };
}

function kept({ args, quote }: CommandContext): Detail {
  if (args.length > OFFERED_CHARS) return { name: parsedOf(args).name.slice(0, 64) };
  return { typed: args, ...(quote ? { quote } : {}) };
}

function offers({ event }: ReplyContext, texts: readonly (readonly [label: string, text: string])[]): ActionChoice[] {
  const { typed = '', quote } = detailOf<Detail>(event);
  const quoted = quote ? { quotedIn: event.seq } : {};
  return [
    ...texts.map(([label, text]): ActionChoice => ({ label, target: { kind: 'run', text, ...quoted } })),
    { label: 'Send as a message', target: { kind: 'send', text: typed, ...quoted } },
  ];
}

/** What is said where nothing can be offered. */
function shorten({ slash }: ReplyContext): string {
  return `Please shorten it, or send it again as a message, without “${slash('').trim()}” in front.`;
}

/** An unknown name (SPEC 4.5, 4.6): what was probably meant, and Send as a message. */
export const unknownCommand: Handler = {
  decide: (_state, context) => ran(context.base, 'unknown', kept(context)),
  reply(context) {
    const { name: long, typed = '' } = detailOf<Detail>(context.event);
    const { name, args } = parsedOf(typed);
    const none = `There is no command ${escapeMarkdown(context.slash((long ?? name).slice(0, 64)))}.`;
    if (long !== undefined) return { markdown: `${none} ${shorten(context)}` };
    const meant = meantBy(context, name);
    const question = meant.length > 0 ? 'Did you mean one of these?' : `${context.slash('help')} lists what there is.`;
    const texts = meant.map((found) => [context.slash(found), `/${found}${args ? ` ${args}` : ''}`] as const);
    return { markdown: `${none} ${question}`, choices: offers(context, texts) };
  },
};

/** Up to three names that this person may have meant. */
function meantBy({ catalog }: ReplyContext, name: string): string[] {
  const canonical = new Map(
    catalog.flatMap((entry) => [entry.name, ...entry.aliases].map((known) => [known, entry.name] as const)),
  );
  const names = similarCommands(name, [...canonical.keys()]);
  return [...new Set(names.map((found) => canonical.get(found) ?? found))].slice(0, 3);
}

/** Words behind a command that stands alone (SPEC 4.7): they may be a message, so nothing is done before that is known. */
export const wordsBehind: Handler = {
  decide: (_state, context) => ran(context.base, 'words', kept(context)),
  reply(context) {
    const { name: long, typed = '' } = detailOf<Detail>(context.event);
    const typedName = long ?? parsedOf(typed).name;
    const name = commandNamed(typedName)?.name ?? typedName;
    const none = `I have done nothing yet: ${context.slash(name)} takes no words after it.`;
    if (long !== undefined) return { markdown: `${none} ${shorten(context)}` };
    return { markdown: `${none} What did you mean?`, choices: offers(context, [[context.slash(name), `/${name}`]]) };
  },
};
