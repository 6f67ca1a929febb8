import { GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { LambdaEvent } from 'hono/aws-lambda';
import type { Item } from '../../lib/aws/calls.ts';
import { keyOf, text } from '../../lib/aws/items.ts';
import { logKey, seqKey } from '../../lib/aws/keys.ts';
import type { Floors } from './floors.ts';
import type { Row } from './marks.ts';
import { figure, type Plan, race, timed } from './measure.ts';
import { events, seedLog } from './seed.ts';
import { FIRST_CHAT } from './services.ts';
import { webhookEvent } from './telegramEvents.ts';
import { placeOfChat, type World } from './world.ts';

const SHORT = 10;
export const LONG = 100_000;
const DAY_MS = 86_400_000;
const PLAN: Plan = { warmUp: 80, rounds: 7, perRound: 40 };
export const MESSAGE = 'Are whales fish? I saw one from the ferry this morning and wondered.';

type Handler = (event: LambdaEvent) => Promise<{ statusCode: number }>;
type Kind = { name: 'command' | 'message'; words: string; reply?: string };

const KINDS: Kind[] = [
  { name: 'command', words: '/goal', reply: 'No goal is set. Write /goal what I should keep in mind to set one.' },
  { name: 'message', words: MESSAGE },
];

/** The function's own handler, imported once its environment is set. */
export async function telegramHandler(): Promise<Handler> {
  return (await import('../../functions/telegram.ts')).handler as unknown as Handler;
}

/** The partition that a floor uses instead of a place's: as long as it, with the same items. */
export const floorKey = (pk: string) => `F${pk.slice(1)}`;

/** Sends a webhook's event through the function. */
export async function deliver(handler: Handler, event: LambdaEvent): Promise<void> {
  const { statusCode } = await handler(event);
  if (statusCode !== 200) throw new Error(`The webhook answered ${statusCode}`);
}

/** An item of a chat's log. */
export async function itemAt({ table }: World, chat: number, seq: number): Promise<Item> {
  const Key = keyOf(logKey(placeOfChat(chat)), seqKey(seq));
  const { Item } = await table.client.send(new GetItemCommand({ TableName: table.name, Key, ConsistentRead: true }));
  if (!Item) throw new Error(`The log has no event ${seq}`);
  return Item;
}

/** The newest item of a chat's log. */
export async function newestItem({ table }: World, chat: number): Promise<Item> {
  const command = new QueryCommand({
    TableName: table.name,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': text(logKey(placeOfChat(chat))) },
    ScanIndexForward: false,
    Limit: 1,
  });
  const [item] = (await table.client.send(command)).Items ?? [];
  if (!item) throw new Error('The log is empty');
  return item;
}

/**
 * One webhook by the function and by hand, each time at another place with a short log; and by the function at one place
 * with a long log.
 */
export async function measureWebhooks(world: World, floors: Floors): Promise<Row[]> {
  const handler = await telegramHandler();
  const long = FIRST_CHAT;
  const until = Date.now() - 2 * DAY_MS;
  await seedLog(world.table, placeOfChat(long), events(String(long), LONG, until));
  const rows: Row[] = [];
  for (const [k, kind] of KINDS.entries()) {
    const first = FIRST_CHAT + 1 + k * 1_000;
    const places = PLAN.warmUp + PLAN.rounds * PLAN.perRound + 1;
    for (let chat = first; chat < first + places; chat++) {
      const log = events(String(chat), SHORT, until);
      await seedLog(world.table, placeOfChat(chat), log, (pk) => [pk, floorKey(pk)]);
    }
    rows.push(...(await measureKind(world, floors, handler, kind, { long, first })));
  }
  return rows;
}

async function measureKind(
  world: World,
  floors: Floors,
  handler: Handler,
  { name, words, reply }: Kind,
  { long, first }: { long: number; first: number },
): Promise<Row[]> {
  await deliver(handler, webhookEvent(first, words));
  const item = await newestItem(world, first);
  const contestants = {
    short: (n: number) => {
      const event = webhookEvent(first + 1 + n, words);
      return timed(() => deliver(handler, event));
    },
    floor: (n: number) => {
      const event = webhookEvent(first + 1 + n, words);
      const pk = floorKey(logKey(placeOfChat(first + 1 + n)));
      return timed(() => floors.webhook({ event, pk, item, ...(reply === undefined ? {} : { reply }) }));
    },
    long: async () => {
      const event = webhookEvent(long, words);
      const took = await timed(() => deliver(handler, event));
      // What waits is dropped again, so that the place stays as it was.
      if (reply === undefined) await deliver(handler, webhookEvent(long, '/stop'));
      return took;
    },
  };
  const rounds = await race(contestants, PLAN);
  await world.purge();
  return [
    { name: `${name}.wall`, unit: 'ms', ...figure(rounds, 'short', 'floor') },
    { name: `${name}.growth`, unit: 'ms', ...figure(rounds, 'long', 'short') },
  ];
}
