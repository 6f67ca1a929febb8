import fc from 'fast-check';
import { type Draft, EFFORTS, type EventType, LIMITED, MODES, OUTCOMES } from '../../lib/domain/events.ts';
import { QUESTION_KINDS } from '../../lib/domain/toolCalls.ts';

/** Events of every type with any well-formed data; small numbers and few names, so that they meet each other. */

const seq = fc.nat(12);
const turn = fc.constantFrom('t', 'u');
const attempt = fc.integer({ min: 1, max: 3 });
const ms = fc.nat(200_000);
const words = fc.constantFrom('a', 'whales', '🐳 and\nmore', '');
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Without the fields that are undefined: a draft never holds one. */
const record = <T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(fields).map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)));

const memory = record({ id: seq, upTo: seq, summary: maybe(seq), messages: seq });
const options = record({
  model: maybe(fc.constantFrom('p/m', 'q/n')),
  effort: maybe(fc.constantFrom(...EFFORTS)),
  fast: maybe(fc.boolean()),
  mode: maybe(fc.constantFrom(...MODES)),
});
const change = record({
  model: maybe(fc.constantFrom('p/m', null)),
  effort: maybe(fc.constantFrom(...EFFORTS, null)),
  mode: maybe(fc.constantFrom(...MODES, null)),
});
const reading = record({ tokens: seq, model: maybe(words), compacted: maybe(fc.constant(true)) });
const content = record({ text: words });
const conversation = record({
  ...{ conversation: seq, memory, goal: maybe(words), plan: maybe(fc.constant(true)), reading: maybe(reading) },
});

const incoming = {
  delivery: fc.record({ key: fc.constantFrom('k1', 'k2', 'k3', 'k4'), update: words, sentAt: ms }),
  person: fc.constant({ id: 'ana' }),
  to: fc.constant({ chat: 'c' }),
  command: maybe(fc.constant('clear')),
};
const held = { turn, attempt };

const call = record({ id: fc.constant('c'), name: fc.constant('find'), input: fc.constant({ of: 'x' }) });

const DATA: Record<EventType, fc.Arbitrary<object>> = {
  message: record({ ...incoming, content, memory: seq, conversation: seq, goal: maybe(words) }),
  'command.ran': record({ ...incoming, outcome: words }),
  'context.cleared': record({ ...incoming, dropped: seq }),
  'context.restored': record({ ...incoming, clear: seq, restored: seq }),
  goal: record({ ...incoming, goal: fc.option(words) }),
  options: record({
    ...incoming,
    options: change,
    content: maybe(content),
    memory: maybe(seq),
    closesApproval: maybe(fc.constant(true)),
  }),
  'conversation.started': record({ ...incoming, dropped: seq, content: maybe(content) }),
  'conversation.resumed': record({ ...incoming, left: seq, resumed: conversation }),
  'stop.asked': record({ ...incoming, turn: maybe(turn), dropped: seq }),
  'compact.asked': record({ ...incoming, keep: maybe(words) }),
  'question.answered': record({
    ...{ ...incoming, question: fc.constantFrom('q', 'r'), turn, memory: seq },
    answer: fc.constantFrom('start', 'keep', 'allow', 'allow-chat', 'deny'),
    ...{
      options: maybe(change),
      mode: maybe(fc.constantFrom(...MODES)),
      grants: maybe(fc.array(words, { maxLength: 2 })),
    },
  }),
  'choices.closed': record({ ...incoming, closes: fc.constant(['a']) }),
  'stranger.refused': record(incoming),
  'access.asked': record({ ...incoming, who: fc.constant({ id: 'ben' }) }),
  'person.changed': record({
    ...incoming,
    who: fc.constant({ id: 'ben' }),
    status: fc.constantFrom('let-in', 'put-out'),
  }),
  'limit.reached': record({ ...incoming, limit: fc.constantFrom(...LIMITED), allowed: seq, opensAt: maybe(ms) }),
  'claim.refused': record({ ...incoming, outcome: fc.constantFrom('wrong', 'used', 'expired', 'locked') }),
  'turn.started': record({
    ...{ ...held, leaseUntil: ms, kind: fc.constantFrom('answer', 'compact'), messages: fc.array(seq), memory },
    ...{ options, tries: fc.integer({ min: 1, max: 6 }) },
  }),
  'turn.renewed': record({ ...held, leaseUntil: ms }),
  'turn.yielded': record({ ...held, notBefore: ms, reason: fc.constantFrom('time', 'wait') }),
  'reply.opened': record({ ...held, parts: fc.array(words, { maxLength: 2 }) }),
  step: record({
    ...{ ...held, memory: seq, n: attempt, text: words, calls: fc.array(call, { maxLength: 2 }) },
    ...{ contextTokens: maybe(seq), model: maybe(words) },
  }),
  'tool.started': record({ ...held, memory: seq, n: attempt, calls: fc.array(fc.constant('c'), { maxLength: 2 }) }),
  'tool.result': record({
    ...{ ...held, memory: seq, n: attempt },
    results: fc.array(record({ id: fc.constant('c'), name: fc.constant('find'), output: words }), { maxLength: 2 }),
  }),
  'turn.ended': record({
    ...{ ...held, memory: seq, leaseUntil: ms, outcome: fc.constantFrom(...OUTCOMES), messages: fc.array(seq) },
    ...{ text: words, notice: maybe(words), contextTokens: maybe(seq), model: maybe(words) },
  }),
  'question.asked': record({
    ...{ ...held, memory: seq, leaseUntil: ms, question: fc.constantFrom('q', 'r'), plan: maybe(words) },
    ...{ messages: fc.array(seq), kind: fc.constantFrom(...QUESTION_KINDS) },
  }),
  'context.compacted': record({ ...held, memory: seq, upTo: seq, summary: words, trigger: maybe(words) }),
  'context.summed': record({ ...held, of: words, at: attempt, size: attempt, summary: words }),
  'delivery.taken': record({ ...held, leaseUntil: ms }),
  'reply.delivered': record({ ...held, undeliverable: maybe(words) }),
  'chat.gone': record({ reason: words }),
  'chat.back': fc.constant({}),
  'place.erased': fc.constant({}),
};

export const EVENT_TYPES = Object.keys(DATA) as EventType[];

/** Any event of one of these types. */
export function draftOf(types: readonly EventType[]): fc.Arbitrary<Draft> {
  return fc.constantFrom(...types).chain((type) => DATA[type].map((data) => ({ type, data }) as Draft));
}

/** Any event of any type. */
export const anyDraft: fc.Arbitrary<Draft> = draftOf(EVENT_TYPES);

/** Any log: what no decision would ever append stands in it too. */
export const anyLog = fc.array(anyDraft, { maxLength: 40 });
