import { setTimeout as wait } from 'node:timers/promises';
import { logKey } from '../../lib/aws/keys.ts';
import { pending } from '../../lib/domain/pending.ts';
import { type QueueHandler, runEventSource } from '../../local/eventSource.ts';
import type { Floors } from './floors.ts';
import type { Row } from './marks.ts';
import { figure, type Plan, race } from './measure.ts';
import { events, seedLog } from './seed.ts';
import { FIRST_CHAT } from './services.ts';
import { webhookEvent } from './telegramEvents.ts';
import { deliver, floorKey, itemAt, MESSAGE, telegramHandler } from './webhooks.ts';
import { placeOfChat, type World } from './world.ts';

const PLAN: Plan = { warmUp: 15, rounds: 5, perRound: 15 };
const SHORT = 10;
const CHATS = FIRST_CHAT + 5_000;
const DAY_MS = 86_400_000;
/** After a turn, until its poller waits for the next message again. */
const SETTLE_MS = 40;

/** Starts the worker, fed as Lambda feeds it: one hint a call. */
export async function startWorker(world: World, batchSize = 1): Promise<() => Promise<void>> {
  const { handler } = (await import('../../functions/worker.ts')) as { handler: QueueHandler };
  const { queueUrl } = world.services;
  const common = { sqs: world.sqs, queueUrl, handler, batchSize, timeoutMs: 900_000 };
  return runEventSource({ ...common, maximumConcurrency: 1, onError: (error) => console.error(error) });
}

/** Waits until the place owes nothing. */
export async function untilDone(world: World, chat: number): Promise<void> {
  for (;;) {
    const newest = await world.log.newest(placeOfChat(chat));
    if (newest && pending(newest.state, Date.now()).kind === 'none') break;
    await wait(10);
  }
  await wait(SETTLE_MS);
}

async function untilAsked(world: World, start: () => Promise<unknown>): Promise<number> {
  const asked = world.nextAsked();
  const before = process.hrtime.bigint();
  const started = start();
  const took = Number((await asked) - before) / 1e6;
  await started;
  return took;
}

/** From a message's webhook to the arrival of the request at the provider: by the functions, and by hand. */
export async function measureTurn(world: World, floors: Floors): Promise<Row[]> {
  const handler = await telegramHandler();
  const until = Date.now() - 2 * DAY_MS;
  const last = CHATS + PLAN.warmUp + PLAN.rounds * PLAN.perRound;
  for (let chat = CHATS; chat <= last; chat++) {
    await seedLog(world.table, placeOfChat(chat), events(String(chat), SHORT, until), (pk) => [pk, floorKey(pk)]);
  }
  const ours = async (chat: number) => {
    const event = webhookEvent(chat, MESSAGE);
    const took = await untilAsked(world, () => deliver(handler, event));
    await untilDone(world, chat);
    return took;
  };
  const stop = await startWorker(world);
  await ours(last);
  const message = await itemAt(world, last, SHORT + 1);
  const started = await itemAt(world, last, SHORT + 2);
  const floor = async (chat: number) => {
    const event = webhookEvent(chat, MESSAGE);
    const pk = floorKey(logKey(placeOfChat(chat)));
    const turn = floors.turn(started);
    await wait(SETTLE_MS);
    const took = await untilAsked(world, () => floors.webhook({ event, pk, item: message }));
    await turn;
    return took;
  };
  const rounds = await race({ ours: (n) => ours(CHATS + n), floor: (n) => floor(CHATS + n) }, PLAN);
  await stop();
  return [{ name: 'turn.start', unit: 'ms', ...figure(rounds, 'ours', 'floor') }];
}
