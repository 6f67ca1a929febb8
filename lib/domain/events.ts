import * as z from 'zod/mini';
import { CLOSED } from './tenancy.ts';
import { askedCallSchema, QUESTION_KINDS, toolCallSchema, toolResultSchema } from './toolCalls.ts';
import {
  addressSchema,
  type Content,
  contentSchema,
  conversationSchema,
  deliverySchema,
  MODES,
  memorySchema,
  ms,
  optionsChangeSchema,
  optionsSchema,
  personSchema,
  seq,
  usageSchema,
} from './values.ts';

export * from './values.ts';

/**
 * The events of a place's log (SPEC 2, DESIGN 2). Each is stored as one item that also carries the fold of the log up
 * to and including itself. Objects are loose: a field from a newer version is kept and passed over (SPEC 2.5).
 */

/** Fields of every event that a webhook appends. */
const incoming = {
  delivery: deliverySchema,
  person: personSchema,
  to: addressSchema,
  /** The command that made this event, by its canonical name; its reply is made again from the event. */
  command: z.optional(z.string()),
  /** The ChatAction that this event settles, if a button was pressed (SPEC 11.1). */
  action: z.optional(z.string()),
};
/** Fields of every event that a turn's holder appends; the fence of DESIGN 3. */
const held = { turn: z.string().check(z.minLength(1)), attempt: z.int().check(z.positive()) };

/** What a tenant can limit (SPEC 9.4). */
export const TENANT_LIMITS = ['turnsAtOnce', 'turnsPerDay', 'tokensPerDay', 'messagesPerMinute'] as const;
/** What is limited: also how many messages wait, which no tenant sets. */
export const LIMITED = [...TENANT_LIMITS, 'waiting'] as const;
export type Limited = (typeof LIMITED)[number];

export const OUTCOMES = ['complete', 'stopped', 'failed'] as const;

const schemas = {
  message: z.looseObject({
    ...incoming,
    content: contentSchema,
    memory: seq,
    conversation: seq,
    goal: z.optional(z.string()),
    options: z.optional(optionsSchema),
  }),
  /** A command that changed nothing: it shows something, or says why it did not do what was asked. */
  'command.ran': z.looseObject({ ...incoming, outcome: z.string(), detail: z.optional(z.unknown()) }),
  'context.cleared': z.looseObject({ ...incoming, dropped: z.int().check(z.nonnegative()) }),
  'context.restored': z.looseObject({ ...incoming, clear: seq, restored: z.int().check(z.nonnegative()) }),
  goal: z.looseObject({ ...incoming, goal: z.nullable(z.string()) }),
  options: z.looseObject({
    ...incoming,
    options: optionsChangeSchema,
    /** The tools that were allowed in this chat ask again (SPEC 7.5). */
    forgetsGrants: z.optional(z.literal(true)),
    /** Plan mode goes on, so the open question about tools that change something is closed (SPEC 7.2). */
    closesApproval: z.optional(z.literal(true)),
    content: z.optional(contentSchema),
    memory: z.optional(seq),
  }),
  'conversation.started': z.looseObject({
    ...incoming,
    dropped: z.int().check(z.nonnegative()),
    content: z.optional(contentSchema),
  }),
  /** `title` and `sentAt` are of its first message, to name it in the reply. */
  'conversation.resumed': z.looseObject({
    ...incoming,
    left: seq,
    resumed: conversationSchema,
    title: z.optional(z.string()),
    sentAt: z.optional(ms),
  }),
  /** `closes`: the open choices that it closes as well, by their actions' ids. */
  'stop.asked': z.looseObject({
    ...incoming,
    turn: z.optional(z.string()),
    dropped: z.int().check(z.nonnegative()),
    closes: z.optional(z.array(z.string())),
  }),
  /** `/cancel` closed open choices, by their actions' ids. */
  'choices.closed': z.looseObject({ ...incoming, closes: z.array(z.string()) }),
  'compact.asked': z.looseObject({ ...incoming, keep: z.optional(z.string()) }),
  /**
   * The person answered a question of a turn that waits for it; `turn` and `memory` are that turn's. Start says which
   * settings it changes and what `mode` that comes to (SPEC 7.3); Allow in this chat, what is allowed from now on.
   */
  'question.answered': z.looseObject({
    ...incoming,
    question: z.string(),
    answer: z.enum(['start', 'keep', 'allow', 'allow-chat', 'deny']),
    turn: z.string(),
    memory: seq,
    options: z.optional(optionsChangeSchema),
    mode: z.optional(z.enum(MODES)),
    grants: z.optional(z.array(z.string())),
  }),
  /**
   * Somebody who is not let in wrote; their words are not kept (SPEC 9.3). `asks`: the owner is asked about them; `closed`:
   * why nobody can let them in.
   */
  'stranger.refused': z.looseObject({ ...incoming, asks: z.optional(z.boolean()), closed: z.optional(z.enum(CLOSED)) }),
  /** In the owner's private chat: somebody would like to be let in. `person` is the owner; names stand in the people alone. */
  'access.asked': z.looseObject({ ...incoming, who: z.looseObject({ id: z.string().check(z.minLength(1)) }) }),
  /** The owner let somebody in or put them out; `from`: in the list of people, which goes on from there. */
  'person.changed': z.looseObject({
    ...incoming,
    who: z.looseObject({ id: z.string().check(z.minLength(1)) }),
    status: z.enum(['let-in', 'put-out']),
    from: z.optional(z.int().check(z.nonnegative())),
  }),
  /** A message was not taken: a limit is reached. `opensAt` is absent where no time can be told. */
  'limit.reached': z.looseObject({
    ...incoming,
    limit: z.enum(LIMITED),
    allowed: z.number().check(z.nonnegative()),
    opensAt: z.optional(ms),
  }),
  /** A wrong, used or expired claim code (SPEC 9.2); `outcome` says which. */
  'claim.refused': z.looseObject({ ...incoming, outcome: z.enum(['wrong', 'used', 'expired', 'locked']) }),

  'turn.started': z.looseObject({
    ...held,
    leaseUntil: ms,
    kind: z.enum(['answer', 'compact']),
    messages: z.array(seq),
    memory: memorySchema,
    options: optionsSchema,
    tries: z.int().check(z.positive()),
  }),
  'turn.renewed': z.looseObject({ ...held, leaseUntil: ms }),
  /** Handed over: `time` before the worker's time limit, `wait` until a provider takes requests again. */
  'turn.yielded': z.looseObject({ ...held, notBefore: ms, reason: z.enum(['time', 'wait']) }),
  /** `shown`: so many of its messages show the final text already; the delivery goes on behind them. */
  'reply.opened': z.looseObject({
    ...held,
    parts: z.array(z.string()),
    shown: z.optional(z.int().check(z.nonnegative())),
  }),
  /** A step that wants tools; one that ends the turn is `turn.ended`. */
  step: z.looseObject({
    ...held,
    memory: seq,
    n: z.int().check(z.positive()),
    /** What it said before it called, Markdown. */
    text: z.string(),
    calls: z.array(toolCallSchema),
    /** `provider/model` that made it, and the step in that provider's own form, which only it reads again. */
    model: z.optional(z.string()),
    own: z.optional(z.unknown()),
    /** Where the provider keeps the conversation up to here. */
    session: z.optional(z.string()),
    usage: z.optional(usageSchema),
    contextTokens: z.optional(z.number()),
  }),
  /** Tools that change something are about to run; without their results it is unknown whether they did (DESIGN 3a). */
  'tool.started': z.looseObject({ ...held, memory: seq, n: z.int().check(z.positive()), calls: z.array(z.string()) }),
  /** The results of all calls of step `n`. */
  'tool.result': z.looseObject({
    ...held,
    memory: seq,
    n: z.int().check(z.positive()),
    results: z.array(toolResultSchema),
  }),
  'turn.ended': z.looseObject({
    ...held,
    memory: seq,
    leaseUntil: ms,
    outcome: z.enum(OUTCOMES),
    /** The messages that it answers, by seq. */
    messages: z.array(seq),
    /** The answer, Markdown, what its earlier steps said included; what had come so far of a stopped or failed one. */
    text: z.string(),
    /** Where in `text` the words of its last step begin, UTF-16 units; absent: at its beginning. */
    lastStepAt: z.optional(z.int().check(z.nonnegative())),
    /** A sentence of ours to show beside or instead of the answer, Markdown. */
    notice: z.optional(z.string()),
    model: z.optional(z.string()),
    session: z.optional(z.string()),
    /** All of the turn's steps together, for counting. */
    usage: z.optional(usageSchema),
    /** What the last step read and wrote, tokens (SPEC 8.1). */
    contextTokens: z.optional(z.number()),
  }),
  'question.asked': z.looseObject({
    ...held,
    memory: seq,
    leaseUntil: ms,
    /** The messages that it is about, by seq. */
    messages: z.array(seq),
    question: z.string(),
    kind: z.enum(QUESTION_KINDS),
    /** What the turn said before it, Markdown. */
    text: z.optional(z.string()),
    plan: z.optional(z.string()),
    /** The calls that wait for approval. */
    calls: z.optional(z.array(askedCallSchema)),
  }),
  'context.compacted': z.looseObject({
    ...held,
    memory: seq,
    upTo: seq,
    trigger: z.optional(z.string()),
    preTokens: z.optional(z.number()),
    summary: z.string(),
    /** In mid-turn: what the turn had said, which the boundary closes (SPEC 8.8). */
    said: z.optional(z.string()),
    usage: z.optional(usageSchema),
  }),
  /**
   * A compaction has come so far in what it sums up, part by part: the next worker goes on from there. It is in nobody's
   * memory. `of` names the text, all before `at` (UTF-16 units) is in `summary`, and `size` is that of the next part.
   */
  'context.summed': z.looseObject({
    ...held,
    of: z.string(),
    at: z.int().check(z.positive()),
    size: z.int().check(z.positive()),
    summary: z.string(),
    /** Of all parts so far. */
    usage: z.optional(usageSchema),
  }),
  'delivery.taken': z.looseObject({ ...held, leaseUntil: ms }),
  'reply.delivered': z.looseObject({ ...held, undeliverable: z.optional(z.string()) }),

  /** The app says that the bot was blocked or removed here: nothing is sent until the person is heard of. Of a worker, its claim. */
  'chat.gone': z.looseObject({ reason: z.string(), turn: z.optional(held.turn), attempt: z.optional(held.attempt) }),
  /** The app says that the bot was let back. */
  'chat.back': z.looseObject({}),

  /** Stands where an erased event stood, and behind the newest of them; it says nothing of what was there. */
  'place.erased': z.looseObject({}),
} as const;

export type EventType = keyof typeof schemas;
export type EventData<T extends EventType> = z.infer<(typeof schemas)[T]>;

/** An event before it has a place in the log. */
export type Draft = { [T in EventType]: { type: T; data: EventData<T> } }[EventType];
export type DraftOf<T extends EventType> = Extract<Draft, { type: T }>;

/** An event in the log: `seq` counts from 1 without gaps, `id` is its writer's own, `at` is Conch's time in ms. */
export type Event = Draft & { seq: number; id: string; at: number };
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

/** An event of a type that this version does not know (SPEC 2.5). */
export interface UnknownEvent {
  type: string;
  data: unknown;
  seq: number;
  id: string;
  at: number;
}

/** The event as a known one, or undefined if its type is unknown or its data does not fit. */
export function knownEvent(event: UnknownEvent): Event | undefined {
  const schema = Object.hasOwn(schemas, event.type) ? schemas[event.type as EventType] : undefined;
  const parsed = schema?.safeParse(event.data);
  return parsed?.success ? ({ ...event, data: parsed.data } as Event) : undefined;
}

/** The event if it is of this type and well formed. */
export function eventOf<T extends EventType>(event: UnknownEvent | undefined, type: T): EventOf<T> | undefined {
  if (event?.type !== type) return undefined;
  return knownEvent(event) as EventOf<T> | undefined;
}

/** What the person sent in this event, whichever type carries it; undefined if it carries nothing. */
export function contentOf(event: UnknownEvent): Content | undefined {
  const data = event.data as { content?: unknown } | null;
  if (!data?.content) return undefined;
  const parsed = contentSchema.safeParse(data.content);
  return parsed.success ? parsed.data : undefined;
}
