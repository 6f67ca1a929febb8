import { ran } from '../domain/decide.ts';
import type { Content } from '../domain/events.ts';
import { MESSAGE_LIMIT } from '../domain/limits.ts';
import { CLOSED, type Closed } from '../domain/tenancy.ts';
import type { ActionChoice } from '../ports/actions.ts';
import type { Handler, ReplyContext } from './command.ts';
import { limitSentence } from './limitWords.ts';
import { parseChatCommand } from './parse.ts';
import { knownAs, lineOf } from './people.ts';
import { question } from './question.ts';
import { commandNamed } from './registry.ts';
import { similarCommands } from './similar.ts';
import { escapeMarkdown } from './words.ts';

/** What answers a message that no row of the registry does. The names stand in events as their `command`. */
export type NoticeName =
  | 'unknown-command'
  | 'not-permitted'
  | 'message-too-long'
  | 'nothing-to-send'
  | 'not-let-in'
  | 'access-asked'
  | 'limit-reached'
  | 'question';

type Detail = { quote?: Content['quote']; typed?: string; name?: string; why?: string; length?: number };

function detailOf({ event }: ReplyContext): Detail {
  return event.type === 'command.ran' ? ((event.data.detail ?? {}) as Detail) : {};
}

/** Each choice holds the words again: with more of them the item of the choices could be too large to store. */
const OFFERED_CHARS = 8_000;

/** What is said instead of an offer; the name alone is kept. */
function withoutOffer(context: ReplyContext, name: string): string {
  return `There is no command ${escapeMarkdown(context.slash(name))}. Please shorten the message, or send it again without the slash in front.`;
}

/** Behind an app's own command the name stands without a slash, and may be no name at all. */
function parsedOf(typed: string): { name: string; args: string } {
  const parsed = parseChatCommand(typed) ?? parseChatCommand(`/${typed}`);
  return parsed ?? { name: typed.split(/\s/u, 1)[0] ?? '', args: '' };
}

const nameOf = (typed: string) => parsedOf(typed).name.slice(0, 64);

/** An unknown name (SPEC 4.5, 4.6): what was probably meant, and Send as a message. */
const unknownCommand: Handler = {
  decide(_state, context) {
    const { base, args } = context;
    const { quote } = context;
    return ran(
      base,
      'unknown',
      args.length > OFFERED_CHARS ? { name: nameOf(args) } : { typed: args, ...(quote && { quote }) },
    );
  },
  reply(context) {
    const { name: unknown, typed = '', quote } = detailOf(context);
    if (unknown !== undefined || typed.length > OFFERED_CHARS) {
      return { markdown: withoutOffer(context, unknown ?? nameOf(typed)) };
    }
    const { name, args } = parsedOf(typed);
    const canonical = new Map(
      context.catalog.flatMap((entry) => [entry.name, ...entry.aliases].map((known) => [known, entry.name] as const)),
    );
    const names = similarCommands(name, [...canonical.keys()]);
    const meant = [...new Set(names.map((found) => canonical.get(found) ?? found))].slice(0, 3);
    const quoted = quote ? { quotedIn: context.event.seq } : {};
    const choices: ActionChoice[] = [
      ...meant.map((found) => ({
        label: context.slash(found),
        target: { kind: 'run' as const, text: `/${found}${args ? ` ${args}` : ''}`, ...quoted },
      })),
      { label: 'Send as a message', target: { kind: 'send', text: typed, ...quoted } },
    ];
    const question =
      meant.length > 0 ? ' Did you mean one of these?' : ` ${context.slash('help')} lists what there is.`;
    return { markdown: `There is no command ${escapeMarkdown(context.slash(name.slice(0, 64)))}.${question}`, choices };
  },
};

/** A command that this person may not run here (SPEC 4.3, 4.9): one neutral sentence. */
const notPermitted: Handler = {
  decide: (_state, { base, args }) => ran(base, 'refused', { why: args }),
  reply(context) {
    const { why } = detailOf(context);
    if (why === 'private-only') return { markdown: 'That works in a private chat with me.' };
    if (why === 'web-only') return { markdown: 'That works on the web page only.' };
    return { markdown: why === 'owner-only' ? 'Only the owner of this bot can do that.' : NOT_LET_IN };
  },
};

const messageTooLong: Handler = {
  decide: (_state, { base, args }) => ran(base, 'too-long', { length: Number(args) }),
  reply: (context) => ({
    markdown: `That message is too long for me: ${detailOf(context).length} characters, at most ${MESSAGE_LIMIT}. Please send it in parts.`,
  }),
};

/** A custom command that came to no words at all, since its template is nothing but the argument. */
const nothingToSend: Handler = {
  decide: (_state, { base, args }) => ran(base, 'refused', { typed: args }),
  reply: (context) => {
    const name = context.slash(detailOf(context).typed ?? '');
    return { markdown: `There is nothing to send yet: write some words after ${escapeMarkdown(name)}.` };
  },
};

const NOT_LET_IN = 'The owner of this bot has to let you in before I can answer.';
const CLOSED_WORDS: Record<Closed, string> = {
  'owner-only': 'This bot answers its owner only.',
  unclaimed: 'This bot is not set up yet: whoever runs it has to claim it first.',
};

/** Somebody who is not let in, told once for each reason (SPEC 9.3). The argument: why nobody can let them in, or `asks`. */
const notLetIn: Handler = {
  decide(_state, { base, args }) {
    const closed = CLOSED.find((why) => why === args);
    const why = closed === undefined ? args === 'asks' && { asks: true } : { closed };
    return { type: 'stranger.refused', data: { ...base, ...why } };
  },
  reply({ event }) {
    const { closed, asks = false } = event.type === 'stranger.refused' ? event.data : {};
    if (closed !== undefined) return { markdown: CLOSED_WORDS[closed] };
    return { markdown: asks ? `${NOT_LET_IN} I have asked them.` : NOT_LET_IN };
  },
};

/** What the owner reads of a stranger, with choices that stay until one is picked (SPEC 9.3). */
const accessAsked: Handler = {
  reads: ['people'],
  decide: (_state, { base }) => ran(base, 'shown'),
  reply(context) {
    const { event } = context;
    if (event.type !== 'access.asked') return { markdown: 'Somebody would like to write to me.' };
    const who = { id: event.data.who.id };
    return {
      markdown: `${lineOf(knownAs(context, who))} would like to write to me. Shall I let them in?`,
      choices: [
        { label: 'Let in', target: { kind: 'access', who, answer: 'let-in' } },
        { label: 'Not now', target: { kind: 'access', who, answer: 'not-now' } },
      ],
      lasting: true,
    };
  },
};

/** A message past a limit of the tenant (SPEC 9.4). */
const limitReached: Handler = {
  decide: (_state, { base }) => ran(base, 'shown'),
  reply({ event }) {
    if (event.type !== 'limit.reached') return { markdown: 'I take no messages for now.' };
    const { limit, allowed, opensAt } = event.data;
    return { markdown: limitSentence(limit, allowed, opensAt, event.at) };
  },
};

export const NOTICES: Readonly<Record<NoticeName, Handler>> = {
  'unknown-command': unknownCommand,
  'not-permitted': notPermitted,
  'message-too-long': messageTooLong,
  'nothing-to-send': nothingToSend,
  'not-let-in': notLetIn,
  'access-asked': accessAsked,
  'limit-reached': limitReached,
  question,
};

/** The handler that made an event, by the `command` that stands in it. */
export function handlerNamed(name: string | undefined): Handler | undefined {
  if (name === undefined) return undefined;
  return Object.hasOwn(NOTICES, name) ? NOTICES[name as NoticeName] : commandNamed(name)?.handler;
}
