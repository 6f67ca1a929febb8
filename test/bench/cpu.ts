import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { runtime } from '../../functions/runtime.ts';
import { telegram } from '../../lib/channels/telegram/index.ts';
import type { WebhookDeps } from '../../lib/conversations/deps.ts';
import { Ingest } from '../../lib/conversations/ingest.ts';
import type { State } from '../../lib/domain/state.ts';
import type { Channel, ChatApp, WebhookRequest } from '../../lib/ports/chatApp.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { TenantDirectory } from '../../lib/tenants/directory.ts';
import { MemoryActions } from '../support/memory/actions.ts';
import { MemoryUsage } from '../support/memory/capacity.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';
import type { Row } from './marks.ts';
import { figure, type Plan, race } from './measure.ts';
import { FIRST_CHAT } from './services.ts';
import { SECRET_HEADER, updateBody } from './telegramEvents.ts';
import { CHANNEL_ID, WEBHOOK_SECRET } from './world.ts';

const TENANT = 'bench';
/** Requests in one sample: the clock of the CPU is too coarse for one. */
const BATCH = 100;
const PLAN: Plan = { warmUp: 20, rounds: 5, perRound: 10 };

const channel: Channel = {
  ...{ id: CHANNEL_ID, tenant: TENANT, name: 'bot', app: 'telegram', settings: {} },
  secrets: { token: '999:bench', webhookSecret: WEBHOOK_SECRET },
  bot: { id: '999', username: 'acme_bot' },
};

/** What a request is made of: a message or a command, each person in their own chat. */
function request(n: number): WebhookRequest {
  const chat = FIRST_CHAT + (n % 50);
  const body = updateBody(chat, '/goal');
  return { method: 'POST', query: {}, headers: { [SECRET_HEADER]: WEBHOOK_SECRET }, body };
}

/** The use-case with everything stored in memory, and an app that sends nothing. */
async function ingest(): Promise<(request: WebhookRequest) => Promise<void>> {
  const tenants = new MemoryTenants();
  await tenants.putSettings(TENANT, {});
  await tenants.putChannel(TENANT, {
    ...{ id: CHANNEL_ID, name: 'bot', app: 'telegram', access: 'anyone', settings: {}, secrets: {} },
  });
  const sent = async () => ({ kind: 'sent' as const, id: '1' });
  const app: ChatApp = { ...telegram, sender: (to) => ({ ...telegram.sender(to), post: sent }) };
  const quiet = () => undefined;
  const deps: WebhookDeps = {
    ...{ log: new MemoryLog(), queue: new MemoryQueue(Date.now), actions: new MemoryActions(), tenants },
    ...{
      directory: new TenantDirectory(tenants),
      usage: new MemoryUsage(),
      apps: { telegram: app },
      resolveModel,
      listModels: modelFacts,
    },
    openChannel: async () => channel,
    runtime: { ...runtime, sleep: async () => undefined },
    logger: { info: quiet, warn: quiet, error: quiet },
  };
  const way = new Ingest(deps);
  return async (one) => {
    const { status } = await way.handle(app, CHANNEL_ID, one);
    if (status !== 200) throw new Error(`Answered ${status}`);
  };
}

interface Update {
  update_id: number;
  message: {
    message_id: number;
    date: number;
    text: string;
    chat: { id: number };
    from: { id: number; first_name: string };
  };
}

/** The same by hand: secret compared, JSON read, the newest event with its state, one more event, the reply's body. */
function byHand(): (request: WebhookRequest) => Promise<string> {
  const log = new Map<number, string[]>();
  const secret = Buffer.from(WEBHOOK_SECRET);
  return async ({ headers, body }) => {
    const given = Buffer.from(headers[SECRET_HEADER] ?? '');
    if (given.length !== secret.length || !timingSafeEqual(given, secret)) throw new Error('Not from the app');
    const { update_id: update, message } = JSON.parse(Buffer.from(body).toString()) as Update;
    const { chat, from, text, date } = message;
    const events = log.get(chat.id) ?? [];
    log.set(chat.id, events);
    const newest = events.at(-1);
    const before = newest === undefined ? undefined : (JSON.parse(newest) as { state: State }).state;
    const key = `m:${chat.id}:${message.message_id}`;
    const hash = createHash('sha256').update(key).digest('base64url').slice(0, 10);
    const known = before?.ring.entries ?? '';
    if (known.includes(hash)) throw new Error('A duplicate');
    const ring = { entries: `${known}${hash}${date.toString(36)}`.slice(-512), floorS: 0 };
    const data = {
      delivery: { key, update: String(update), sentAt: date * 1000 },
      person: { id: String(from.id), name: from.first_name },
      to: { chat: String(chat.id), message: String(message.message_id) },
      ...{ command: text.slice(1), outcome: 'shown' },
    };
    const seq = events.length + 1;
    const state = { version: 2, options: {}, waiting: [], ...before, seq, ring };
    const id = randomUUID();
    events.push(JSON.stringify({ seq, id, type: 'command.ran', at: Date.now(), data, state }));
    const words = 'No goal is set. Write /goal what I should keep in mind to set one.';
    return JSON.stringify({ chat_id: chat.id, text: words, link_preview_options: { is_disabled: true } });
  };
}

/** The CPU time of a request, in µs, over a batch. */
async function cpuOf(n: number, handle: (request: WebhookRequest) => Promise<unknown>): Promise<number> {
  const requests = Array.from({ length: BATCH }, (_, k) => request(n * BATCH + k));
  const before = process.cpuUsage();
  for (const one of requests) await handle(one);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / BATCH;
}

/** The CPU that a webhook takes when nothing has to be waited for. */
export async function measureCpu(): Promise<Row[]> {
  const [ours, floor] = [await ingest(), byHand()];
  const rounds = await race({ ours: (n) => cpuOf(n, ours), floor: (n) => cpuOf(n, floor) }, PLAN);
  return [{ name: 'ack.telegram.cpu', unit: 'µs', ...figure(rounds, 'ours', 'floor') }];
}
