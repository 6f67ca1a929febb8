import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { eventItem } from '../../lib/aws/eventItems.ts';
import { untilDone } from '../../lib/aws/items.ts';
import { logKey } from '../../lib/aws/keys.ts';
import type { Table } from '../../lib/aws/table.ts';
import type { Draft, Event } from '../../lib/domain/events.ts';
import { evolve } from '../../lib/domain/evolve.ts';
import type { PlaceRef } from '../../lib/domain/place.ts';
import { initialState, type State } from '../../lib/domain/state.ts';

const ANSWER = 'Whales are mammals: they breathe air, are warm-blooded and nurse their young.';
const READING = { model: 'main/one', usage: { inputTokens: 1_200, outputTokens: 30 }, contextTokens: 1_230 };
const BATCH = 25;
const AT_ONCE = 4;

/** The events of one turn, from the message to the delivered reply. @param n the turn's number; `first` its first seq. */
function turnEvents(chat: string, n: number, first: number, at: number): Draft[] {
  const claim = { turn: `turn${String(n).padStart(12, '0')}`, attempt: 1 };
  const person = { id: chat, name: 'Ana' };
  const memory = { id: 0, upTo: first, messages: n };
  const leaseUntil = at + 60_000;
  return [
    {
      type: 'message',
      data: {
        ...{ delivery: { key: `m:${chat}:${first}`, update: String(800_000_000 + first), sentAt: at }, person },
        ...{ to: { chat, message: String(first) }, content: { text: 'Are whales fish?' }, memory: 0, conversation: 0 },
      },
    },
    {
      type: 'turn.started',
      data: { ...claim, leaseUntil, kind: 'answer', messages: [first], memory, options: {}, tries: 1 },
    },
    { type: 'reply.opened', data: { ...claim, parts: [String(first)] } },
    {
      type: 'turn.ended',
      data: { ...claim, memory: 0, messages: [first], leaseUntil, text: ANSWER, outcome: 'complete', ...READING },
    },
    { type: 'reply.delivered', data: claim },
  ];
}

/** A log of so many events of turns that went well, each with the true state, one turn a second up to `until`. */
export function* events(chat: string, count: number, until: number): Generator<Event & { state: State }> {
  let state = initialState;
  while (state.seq < count) {
    const n = Math.floor(state.seq / 5) + 1;
    const at = (Math.floor(until / 1_000) - Math.ceil(count / 5) + n) * 1_000;
    for (const draft of turnEvents(chat, n, state.seq + 1, at)) {
      if (state.seq === count) return;
      const seq = state.seq + 1;
      const event = { ...draft, seq, id: `seed${String(seq).padStart(12, '0')}`, at } as Event;
      state = evolve(state, event);
      yield { ...event, state };
    }
  }
}

/** Writes such a log; the same items under each of the partitions. @param pks made from the place's own. */
export async function seedLog(
  table: Table,
  place: PlaceRef,
  log: Iterable<Event & { state: State }>,
  pks: (pk: string) => string[] = (pk) => [pk],
): Promise<void> {
  const partitions = pks(logKey(place));
  let requests: WriteRequest[] = [];
  let running: Promise<void>[] = [];
  const flush = async (last: boolean) => {
    if (requests.length > 0) running.push(writeBatch(table, requests));
    requests = [];
    if (running.length >= AT_ONCE || last) {
      await Promise.all(running);
      running = [];
    }
  };
  for (const event of log) {
    for (const pk of partitions) requests.push({ PutRequest: { Item: eventItem(pk, event) } });
    if (requests.length + partitions.length > BATCH) await flush(false);
  }
  await flush(true);
}

function writeBatch(table: Table, batch: WriteRequest[]): Promise<void> {
  return untilDone(batch, async (requests) => {
    const answer = await table.client.send(new BatchWriteItemCommand({ RequestItems: { [table.name]: requests } }));
    const left = answer.UnprocessedItems?.[table.name];
    return left?.length ? left : undefined;
  });
}
