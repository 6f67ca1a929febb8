import { ran } from '../domain/decide.ts';
import { MESSAGE_LIMIT } from '../domain/limits.ts';
import { CLOSED, type Closed } from '../domain/tenancy.ts';
import type { Handler, ReplyContext } from './command.ts';
import { limitSentence } from './limitWords.ts';
import { unknownCommand, wordsBehind } from './offers.ts';
import { knownIn, lineOf } from './people.ts';
import { question } from './question.ts';
import { commandNamed } from './registry.ts';
import { escapeMarkdown, number } from './words.ts';

/** What answers a message that no row of the registry does. The names stand in events as their `command`. */
export type NoticeName =
  | 'unknown-command'
  | 'words-behind'
  | 'not-permitted'
  | 'message-too-long'
  | 'command-too-long'
  | 'nothing-to-send'
  | 'not-let-in'
  | 'access-asked'
  | 'limit-reached'
  | 'question';

type Detail = { typed?: string; why?: string; length?: number };

function detailOf({ event }: ReplyContext): Detail {
  return event.type === 'command.ran' ? ((event.data.detail ?? {}) as Detail) : {};
}

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
    markdown: `That message is too long for me: ${number(detailOf(context).length ?? 0)} characters, at most ${number(MESSAGE_LIMIT)}. Please send it in parts.`,
  }),
};

/** What a custom command or a skill adds counts as well: of that people see nothing. */
const commandTooLong: Handler = {
  decide: (_state, { base, args }) => ran(base, 'too-long', { typed: args }),
  reply(context) {
    const name = escapeMarkdown(context.slash(detailOf(context).typed ?? ''));
    return { markdown: `That is too long for me, with what ${name} adds to your words. Please write fewer.` };
  },
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
  reads: ['person'],
  decide: (_state, { base }) => ran(base, 'shown'),
  reply(context) {
    const known = knownIn(context);
    if (!known) return { markdown: 'Somebody would like to write to me.' };
    const who = { id: known.id };
    return {
      markdown: `${lineOf(known)} would like to write to me. Shall I let them in?`,
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
  'words-behind': wordsBehind,
  'not-permitted': notPermitted,
  'message-too-long': messageTooLong,
  'command-too-long': commandTooLong,
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
