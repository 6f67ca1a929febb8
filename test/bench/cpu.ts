import { runtime } from '../../functions/runtime.ts';
import type { WebhookDeps } from '../../lib/conversations/deps.ts';
import { Ingest } from '../../lib/conversations/ingest.ts';
import type { ChatApp, WebhookRequest } from '../../lib/ports/chatApp.ts';
import { modelFacts, resolveModel } from '../../lib/providers/models.ts';
import { TenantDirectory } from '../../lib/tenants/directory.ts';
import { MemoryActions } from '../support/memory/actions.ts';
import { MemoryUsage } from '../support/memory/capacity.ts';
import { MemoryLog } from '../support/memory/log.ts';
import { MemoryQueue } from '../support/memory/queue.ts';
import { MemoryTenants } from '../support/memory/tenants.ts';
import type { Ack } from './acks/ack.ts';
import { discordAck } from './acks/discord.ts';
import { slackAck } from './acks/slack.ts';
import { teamsAck } from './acks/teams.ts';
import { telegramAck } from './acks/telegram.ts';
import type { Row } from './marks.ts';
import { type Figure, figure, type Plan, race } from './measure.ts';

/** The apps whose webhooks are measured; a row's name is `ack.<app>.cpu`. */
const ACKS: Readonly<Record<string, () => Ack | Promise<Ack>>> = {
  telegram: () => telegramAck,
  slack: () => slackAck,
  discord: () => discordAck,
  teams: teamsAck,
};

/** Requests in one sample: the clock of the CPU is too coarse for one. */
const BATCH = 100;
/** Warm, since the time of the compiler's threads counts as well. */
const PLAN: Plan = { warmUp: 100, rounds: 5, perRound: 10 };

type Handle = (request: WebhookRequest) => Promise<unknown> | unknown;

/** The use-case with everything stored in memory, and an app that sends nothing. */
async function ingest({ app, channel }: Ack): Promise<Handle> {
  const { id, tenant, name } = channel;
  const tenants = new MemoryTenants();
  await tenants.putSettings(tenant, {});
  await tenants.putChannel(tenant, { id, name, app: app.name, access: 'anyone', settings: {}, secrets: {} });
  const sent = async () => ({ kind: 'sent' as const, id: '1' });
  const silent: ChatApp = { ...app, sender: (to) => ({ ...app.sender(to), post: sent }) };
  const quiet = () => undefined;
  const deps: WebhookDeps = {
    ...{ log: new MemoryLog(), queue: new MemoryQueue(Date.now), actions: new MemoryActions(), tenants },
    ...{
      directory: new TenantDirectory(tenants),
      usage: new MemoryUsage(),
      apps: { [app.name]: silent },
      resolveModel,
      listModels: modelFacts,
    },
    openChannel: async () => channel,
    runtime: { ...runtime, sleep: async () => undefined },
    logger: { info: quiet, warn: quiet, error: quiet },
  };
  const way = new Ingest(deps);
  return async (request) => {
    const { status, body } = await way.handle(silent, id, request);
    if (status !== 200) throw new Error(`Answered ${status}`);
    return body && JSON.stringify(body);
  };
}

/** The CPU time of a request, in µs, over a batch. */
async function cpuOf({ request }: Ack, n: number, handle: Handle): Promise<number> {
  const requests = Array.from({ length: BATCH }, (_, k) => request(n * BATCH + k));
  const before = process.cpuUsage();
  for (const one of requests) await handle(one);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / BATCH;
}

/** The CPU that a webhook takes when nothing has to be waited for. @param isWanted whether a row is to be measured. */
export async function measureCpu(isWanted: (name: string) => boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [app, prepare] of Object.entries(ACKS)) {
    const name = `ack.${app}.cpu`;
    if (isWanted(name)) rows.push({ name, unit: 'µs', ...(await measure(await prepare())) });
  }
  return rows;
}

async function measure(ack: Ack): Promise<Figure> {
  const [ours, floor] = [await ingest(ack), ack.byHand()];
  const rounds = await race({ ours: (n) => cpuOf(ack, n, ours), floor: (n) => cpuOf(ack, n, floor) }, PLAN);
  return figure(rounds, 'ours', 'floor');
}
