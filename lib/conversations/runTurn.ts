import { escapeMarkdown } from '../commands/words.ts';
import type { Address, UnknownEvent } from '../domain/events.ts';
import { readChannelId, readPlace } from '../domain/place.ts';
import type { Turn } from '../domain/state.ts';
import type { Channel, ChatApp } from '../ports/chatApp.ts';
import type { StoredEvent } from '../ports/log.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import { type TurnRun, withLead } from './answering.ts';
import { answerMessages } from './answerMessages.ts';
import { releaseOthers } from './deferred.ts';
import type { WorkerDeps } from './deps.ts';
import { endTurn } from './endTurn.ts';
import { GrowingReply } from './growing.ts';
import { type History, readHistory, readSaid } from './history.ts';
import type { Holder } from './holder.ts';
import { NOT_NOW, toldAt, tooLong } from './providerTrouble.ts';
import type { ReplyTarget } from './replyParts.ts';
import { slashIn } from './slash.ts';
import { channelFor } from './workspaces.ts';

/** The channel that a place belongs to; undefined if it was deleted, or the app removed from the place's workspace. */
export async function channelOf(
  deps: WorkerDeps,
  tenant: TenantRecord,
  place: string,
): Promise<{ app: ChatApp; channel: Channel } | undefined> {
  const at = readPlace(place);
  const record = at && tenant.channels.find(({ id }) => readChannelId(id)?.own === at.channel);
  const app = record && deps.apps[record.app];
  if (!record || !app) return undefined;
  const channel = await channelFor(deps, app, await deps.openChannel(tenant.tenant, record), at.chat);
  if (!channel) deps.logger.warn('worker.not-installed', { app: app.name });
  return channel && { app, channel };
}

/** The address in an event of a webhook. */
export function addressOf(event: UnknownEvent | undefined): Address | undefined {
  return (event?.data as { to?: Address } | undefined)?.to;
}

/** What is to be answered, where, and until when this worker may run. */
export interface ToRun {
  tenant: TenantRecord;
  turn: Turn;
  /** The event by which the turn is claimed. */
  claim: StoredEvent;
  at: { app: ChatApp; channel: Channel };
  deadline: number;
}

/**
 * Answers the messages of a turn that this holder has claimed, up to the event that ends it (DESIGN 3).
 * @param ahead what the turn has to read of the log, if it was read while the turn was claimed.
 */
export async function runTurn(
  deps: WorkerDeps,
  holder: Holder,
  { tenant, turn, claim, at, deadline }: ToRun,
  ahead?: Promise<History>,
): Promise<TurnRun> {
  const { log, runtime, logger } = deps;
  const resolved = deps.resolveModel(tenant.providers, turn.options, tenant.settings);
  const read = await (ahead ?? readHistory(log, holder.place, turn, holder.state.seq));
  if (read.tooLong) {
    const told = toldAt(at.app, holder.place, { owner: false });
    const { steps: _, ...said } = await readSaid(log, holder.place, turn, holder.state.seq);
    return endTurn(deps, holder, { outcome: 'failed', ...said, notice: tooLong(told) });
  }
  const { state: _, ...claimed } = claim;
  const history = read.events.at(-1)?.seq === claim.seq ? read.events : [...read.events, claimed];
  const to = addressOf(history.find(({ seq }) => seq === turn.answers));
  if (!to) return endTurn(deps, holder, { outcome: 'failed', text: '' });
  const target: ReplyTarget = { app: at.app, sender: at.app.sender(at.channel), to, holder, runtime, logger };
  const growing = new GrowingReply(target);
  const others = history.filter(({ seq }) => turn.messages.includes(seq) && seq !== turn.answers);
  const released = turn.parts.length === 0 ? releaseOthers(target, others) : undefined;
  const run = resolved.ok
    ? await answerMessages({
        deps,
        holder,
        target,
        growing,
        tenant,
        history,
        resolved,
        deadline,
        channelId: at.channel.id,
      })
    : { outcome: 'failed' as const, ...withLead({ history, holder }, ''), notice: noModel(resolved.reason, target) };
  await Promise.all([growing.end(), released]);
  if ('kind' in run) return run;
  return endTurn(deps, holder, run);
}

/** Nobody can answer under these settings: why, and what the person can do. */
function noModel(reason: string, { app, to, holder }: ReplyTarget): string {
  if (to.group) return NOT_NOW;
  return `${escapeMarkdown(reason)} Pick another with ${slashIn(app.limits, holder.place)('model')}.`;
}
