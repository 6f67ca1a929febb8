import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { WORKER_BATCH } from '../../infra/parameters.ts';
import type { Row } from './marks.ts';
import { median, timed } from './measure.ts';
import { compute, LEAST_WEBHOOK, leastTurn, PRICES } from './prices.ts';
import { events, seedLog } from './seed.ts';
import { FIRST_CHAT } from './services.ts';
import { webhookEvent } from './telegramEvents.ts';
import { startWorker, untilDone } from './turn.ts';
import { deliver, MESSAGE, telegramHandler } from './webhooks.ts';
import { placeOfChat, type World } from './world.ts';

const CHAT = FIRST_CHAT + 8_000;
/** A log long enough that the state remembers as many deliveries as it ever will. */
const STEADY = 200;
const SAMPLES = 20;
const DAY_MS = 86_400_000;

/** As the stack deploys them. */
const WEBHOOK_MB = 512;
const WORKER_MB = 512;
/** The turn whose cost is shown, and how many of a full batch one instance waits for at once. */
const TURN_S = 8;
const BATCH = WORKER_BATCH;
/** A holder looks for `/stop` every 1.5 s: a read that finds nothing, eventually consistent. */
const LOOKS_UNITS = Math.floor(TURN_S / 1.5) * 0.5;

/** What a piece of work used. */
interface Use {
  readUnits: number;
  writeUnits: number;
  queueCalls: number;
}

type Send = (command: object, ...more: unknown[]) => Promise<object>;

const WRITES = new Set(['PutItemCommand', 'UpdateItemCommand', 'DeleteItemCommand']);

/** The units in an answer, those of indexes among them; a Batch gives a list. */
function unitsOf(answer: object): number {
  const { ConsumedCapacity = [] } = answer as { ConsumedCapacity?: Units | Units[] };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

interface Units {
  CapacityUnits?: number;
}

/** Puts `around` in front of a client class's requests, but for one client. @returns what takes it away again. */
function onSend(
  Client: { prototype: object },
  except: object,
  around: (send: () => Promise<object>, command: object) => Promise<object>,
): () => void {
  const prototype = Client.prototype as { send: Send };
  const original = prototype.send;
  prototype.send = function send(command, ...more) {
    const really = () => original.call(this, command, ...more);
    return this === except ? really() : around(really, command);
  };
  return () => Reflect.deleteProperty(prototype, 'send');
}

/** Counts what the functions ask of DynamoDB and SQS while `work` runs. The units are those that the store reports. */
async function counted(world: World, work: () => Promise<unknown>): Promise<Use> {
  const use: Use = { readUnits: 0, writeUnits: 0, queueCalls: 0 };
  const restore = [
    onSend(DynamoDBClient, world.table.client, async (send, command) => {
      Object.assign((command as { input: object }).input, { ReturnConsumedCapacity: 'TOTAL' });
      const answer = await send();
      use[WRITES.has(command.constructor.name) ? 'writeUnits' : 'readUnits'] += unitsOf(answer);
      return answer;
    }),
    onSend(SQSClient, world.sqs, (send) => {
      use.queueCalls += 1;
      return send();
    }),
  ];
  await work();
  for (const undo of restore) undo();
  return use;
}

function dollars({ readUnits, writeUnits, queueCalls }: Use): number {
  const queue = queueCalls * (PRICES.queueCall + PRICES.fairQueueCall);
  return queue + readUnits * PRICES.readUnit + writeUnits * PRICES.writeUnit;
}

/** A figure, and how it comes about. */
interface Cost {
  row: Row;
  note: string;
}

function cost(name: string, use: Use, lambda: { dollars: number; words: string }, floor: number): Cost {
  const ours = dollars(use) + lambda.dollars;
  const asked = `${use.readUnits} read units, ${use.writeUnits} write units, ${use.queueCalls} calls of SQS`;
  const note = `${name}: ${asked} (as the embedded services report them); ${lambda.words}`;
  return { row: { name, unit: '$/million', ours, floor, ratio: ours / floor }, note };
}

/** What a command, a message, and a message with its whole turn cost. */
export async function measureCost(world: World): Promise<Cost[]> {
  const handler = await telegramHandler();
  const say = (words: string) => deliver(handler, webhookEvent(CHAT, words));
  await seedLog(world.table, placeOfChat(CHAT), events(String(CHAT), STEADY, Date.now() - 2 * DAY_MS));
  const took = new Map<string, number[]>([
    ['/goal', []],
    [MESSAGE, []],
  ]);
  for (let n = 0; n < SAMPLES; n++) {
    for (const [words, all] of took) all.push(await timed(() => say(words)));
    await say('/stop');
  }
  const command = await counted(world, () => say('/goal'));
  await world.purge();
  const message = await counted(world, () => say(MESSAGE));
  const turn = await counted(world, async () => {
    const stop = await startWorker(world, BATCH);
    await untilDone(world, CHAT);
    await stop();
  });
  const lambda = (words: string) => {
    const seconds = median(took.get(words) ?? []) / 1_000;
    const shown = `one request of Lambda, ${(seconds * 1_000).toFixed(1)} ms of ${WEBHOOK_MB} MB`;
    return { dollars: compute(seconds, WEBHOOK_MB), words: shown };
  };
  return [
    cost('cost.command', command, lambda('/goal'), LEAST_WEBHOOK),
    cost('cost.message', message, lambda(MESSAGE), LEAST_WEBHOOK),
    cost('cost.turn', together(message, turn), withWorker(lambda(MESSAGE)), leastTurn(TURN_S)),
  ];
}

/** The webhook and the turn: a receive and a delete serve a whole batch. */
function together(message: Use, turn: Use): Use {
  return {
    readUnits: message.readUnits + turn.readUnits + LOOKS_UNITS,
    writeUnits: message.writeUnits + turn.writeUnits,
    queueCalls: message.queueCalls + turn.queueCalls + 2 / BATCH,
  };
}

function withWorker(webhook: { dollars: number; words: string }) {
  const words = `and the worker: ${TURN_S} s of ${WORKER_MB} MB for ${BATCH} turns that wait together`;
  return { dollars: webhook.dollars + compute(TURN_S, WORKER_MB) / BATCH, words: `${webhook.words}, ${words}` };
}
