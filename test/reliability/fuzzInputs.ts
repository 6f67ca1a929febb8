import fc from 'fast-check';
import { person, privateChat, Updates } from '../standins/telegramUpdates.ts';

/** The bot's name in the fuzzed channels, and its user id. */
export const BOT = { id: '999', username: 'acme_bot' };

const FRAGMENTS = [
  ...['/', '/clear', '/new', '/stop', '/CLEAR', '/go', '/usr/bin/x', '//', 'clear', 'undo', '@acme_bot', '@ACME_bot'],
  ...['@other_bot', '@', ' ', '  ', '\n', '\t', '\u00a0', '\u200b', '\u200e', '\u200f', '\u2060', '\ufeff', '.', ':'],
  ...[
    '-',
    '_',
    'x',
    'é',
    'e\u0301',
    '\u0301',
    'ж',
    '三',
    '١',
    '👋',
    '👨‍👩‍👧',
    '\ud800',
    '\udc00',
    '\u0000',
    '…',
    '1',
    '1/2',
    'fix ',
  ],
];

/** Texts near the border between commands and prose. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 7 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('/clear ', '/goal ', '@acme_bot /new '), fc.string()).map(([a, b]) => a + b),
  },
);

const user = fc.constantFrom(person(), person(222, 'Bob'), {
  ...person(999, 'Acme'),
  is_bot: true,
  username: 'acme_bot',
});

const entity = fc.record({
  type: fc.constantFrom('bot_command', 'mention', 'text_mention', 'bold', 'url', 'pre', 'blockquote'),
  offset: fc.integer({ min: -3, max: 30 }),
  length: fc.integer({ min: -1, max: 40 }),
  user,
});

const supergroup = { id: -100_777, type: 'supergroup', title: 'Lab' } as const;
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 4 });

/** What else a message of Telegram may carry. */
const extras = fc.record(
  {
    forward_origin: some(
      fc.constantFrom({ type: 'hidden_user', sender_user_name: 'X' }, { type: 'user', sender_user: person(5) }),
    ),
    entities: some(fc.array(entity, { maxLength: 4 })),
    caption: some(text),
    caption_entities: some(fc.array(entity, { maxLength: 2 })),
    photo: some(fc.constant([{ file_id: 'f1' }, { file_id: 'f2' }])),
    quote: some(text.map((quoted) => ({ text: quoted, is_manual: true }))),
    reply_to_message: some(fc.record({ from: user, text })),
    via_bot: some(user),
    message_thread_id: some(fc.integer()),
    is_topic_message: some(fc.boolean()),
  },
  { requiredKeys: [] },
);

/** A message of Telegram, in a private chat or a group, with anything that it may carry. */
export const telegramMessage = fc
  .record({ words: text, extras, inGroup: fc.boolean(), withText: fc.boolean() })
  .map(({ words, extras: more, inGroup, withText }) => {
    const from = person();
    const chat = inGroup ? supergroup : privateChat(from);
    const id = ++messages;
    const base = { message_id: id, date: 1_790_000_000, chat, from, ...(withText ? { text: words } : {}) };
    return { update_id: id, message: JSON.parse(JSON.stringify({ ...base, ...more })) as Record<string, unknown> };
  });
let messages = 0;

const updates = new Updates(() => 1_790_000_000);
const bob = person(222, 'Bob');

/** Whole updates of every kind that Telegram sends. */
const wholeUpdate: fc.Arbitrary<unknown> = fc.oneof(
  telegramMessage,
  text.map((words) => updates.edited(updates.message(privateChat(bob), bob, 'before'), words)),
  text.map((data) => updates.press(data, bob, { message_id: 4, chat: privateChat(bob) })),
  fc
    .constantFrom('kicked', 'member', 'left', 'restricted')
    .map((status) => updates.membership(privateChat(bob), bob, bob, status)),
);

const jsonValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', '/clear', [], {}, [[]], '\ud800', 2 ** 60),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Changes one thing somewhere inside: replaced, left out, or wrapped. */
function mutated(value: unknown, path: readonly number[], how: number, other: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return other;
  const copy: Record<string, unknown> = Array.isArray(value) ? (Object.assign([], value) as never) : { ...value };
  if (rest.length === 0 && how === 0) delete copy[key];
  else if (rest.length === 0 && how === 1) copy[key] = [copy[key]];
  else copy[key] = mutated(copy[key], rest, how, other);
  return copy;
}

const mutation = fc.record({
  path: fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 5 }),
  how: fc.nat({ max: 3 }),
  other: jsonValue,
});

const mutatedUpdate = fc
  .tuple(wholeUpdate, fc.array(mutation, { minLength: 1, maxLength: 4 }))
  .map(([update, changes]) =>
    changes.reduce<unknown>((so, { path, how, other }) => mutated(so, path, how, other), update),
  );

const encoded = (value: unknown) => new TextEncoder().encode(JSON.stringify(value) ?? '');
const cutOff = fc
  .tuple(wholeUpdate.map(encoded), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([bytes, share]) => bytes.slice(0, Math.floor(bytes.length * share)));

/** Bodies that a webhook may get: whole, broken, mutated, anything. */
export const telegramBody: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 3, arbitrary: mutatedUpdate.map(encoded) },
  { weight: 2, arbitrary: wholeUpdate.map(encoded) },
  { weight: 1, arbitrary: cutOff },
  { weight: 1, arbitrary: fc.json().map((json) => new TextEncoder().encode(json)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);

/** A message of the text app. */
export const textMessage = fc.record(
  {
    id: fc.string({ minLength: 1, maxLength: 20 }),
    chat: fc.string({ minLength: 1, maxLength: 20 }),
    person: fc.string({ minLength: 1, maxLength: 20 }),
    text,
    group: fc.boolean(),
    mentioned: fc.boolean(),
  },
  { requiredKeys: ['id', 'chat', 'person', 'text'] },
);

/** Bodies that the text app's webhook may get. */
export const textBody: fc.Arbitrary<Uint8Array> = fc.oneof(
  textMessage.map(encoded),
  fc.tuple(textMessage, mutation).map(([message, { path, how, other }]) => encoded(mutated(message, path, how, other))),
  fc.json().map((json) => new TextEncoder().encode(json)),
  fc.uint8Array({ maxLength: 200 }),
);

/** Header names and values of any kind. */
export const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom('x-telegram-bot-api-secret-token', 'x-conch-timestamp', 'x-conch-signature', 'content-type'),
    fc.string(),
  ),
  fc.oneof(fc.string(), fc.constantFrom('', 'v0=', `v0=${'0'.repeat(64)}`, '1790000500', '-1', 'NaN')),
);
