import { skillsFor } from '../commands/catalog.ts';
import { escapeMarkdown } from '../commands/words.ts';
import type { Address, UnknownEvent, Usage } from '../domain/events.ts';
import { TIME_TO_WORK_MS } from '../domain/limits.ts';
import { keyPart, readPart } from '../domain/place.ts';
import type { Turn } from '../domain/state.ts';
import { decideEnd, type TurnEnd } from '../domain/turns.ts';
import type { Channel, ChatApp } from '../ports/chatApp.ts';
import { type EngineRequest, isProviderFailure, type ResolvedModel } from '../ports/engine.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import { releaseOthers } from './deferred.ts';
import type { WorkerDeps } from './deps.ts';
import { GrowingReply } from './growing.ts';
import { type History, readHistory } from './history.ts';
import type { Holder } from './holder.ts';
import { systemPrompt } from './prompt.ts';
import { EMPTY_ONCE, EMPTY_TWICE, TOO_LONG, troubleOf } from './providerTrouble.ts';
import { editPart, type ReplyTarget } from './replyParts.ts';
import { runStep, type StepResult } from './step.ts';
import { transcript } from './transcript.ts';
import { countUse } from './usage.ts';
import { channelFor } from './workspaces.ts';

/** What a run of a turn came to: it ended, it waits for `waitMs`, or another worker has it. */
export type TurnRun = { kind: 'ended' } | { kind: 'wait'; waitMs: number } | { kind: 'lost' };

type Resolved = Extract<ResolvedModel, { ok: true }>;

/** The channel that a place belongs to; undefined if it was deleted, or the app removed from the place's workspace. */
export async function channelOf(
  deps: WorkerDeps,
  tenant: TenantRecord,
  place: string,
): Promise<{ app: ChatApp; channel: Channel } | undefined> {
  const [first, chat = ''] = place.split('~');
  const record = tenant.channels.find(({ id }) => keyPart(id.slice(id.lastIndexOf('.') + 1)) === first);
  const app = record && deps.apps[record.app];
  if (!record || !app) return undefined;
  const channel = await channelFor(deps, app, await deps.openChannel(tenant.tenant, record), readPart(chat));
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
  { tenant, turn, at, deadline }: ToRun,
  ahead?: Promise<History>,
): Promise<TurnRun> {
  const { log, runtime, logger } = deps;
  const resolved = deps.resolveModel(tenant.providers, turn.options, tenant.settings);
  const read = await (ahead ?? readHistory(log, holder.place, turn, { to: holder.state.seq, resolved }));
  if (read.tooLong) return end(deps, holder, { outcome: 'failed', text: '', notice: TOO_LONG });
  const history = read.events;
  const to = addressOf(history.find(({ seq }) => seq === turn.answers));
  if (!to) return end(deps, holder, { outcome: 'failed', text: '' });
  const target: ReplyTarget = { app: at.app, sender: at.app.sender(at.channel), to, holder, runtime, logger };
  const growing = new GrowingReply(target);
  const others = history.filter(({ seq }) => turn.messages.includes(seq) && seq !== turn.answers);
  const released = turn.parts.length === 0 ? releaseOthers(target, others) : undefined;
  const run = resolved.ok
    ? await answer(deps, target, growing, { tenant, turn, history, resolved, deadline })
    : { outcome: 'failed' as const, text: '', notice: noModel(resolved.reason, target) };
  await Promise.all([growing.end(), released]);
  if ('kind' in run) return run;
  return end(deps, holder, run);
}

/** Nobody can answer under these settings: why, and what the person can do. */
function noModel(reason: string, { app, to }: ReplyTarget): string {
  const words = escapeMarkdown(reason);
  return to.group ? words : `${words} ${app.limits.commandPrefix}model lists what there is.`;
}

interface Asking {
  tenant: TenantRecord;
  turn: Turn;
  history: UnknownEvent[];
  resolved: Resolved;
  deadline: number;
}

/** Asks the provider; an empty answer is tried once more, if there is time for a whole step (SPEC 13.5). */
async function answer(
  deps: WorkerDeps,
  target: ReplyTarget,
  growing: GrowingReply,
  asking: Asking,
): Promise<TurnEnd | TurnRun> {
  const { resolved, tenant } = asking;
  const { holder } = target;
  let result: StepResult;
  let hasTime = true;
  try {
    const engine = await deps.openEngine(tenant.tenant, resolved.provider);
    const request = () => requestOf(holder, asking);
    result = await runStep(deps.runtime, engine, request(), holder, growing);
    hasTime = asking.deadline - deps.runtime.now() >= TIME_TO_WORK_MS;
    if (isEmpty(result) && hasTime) result = await runStep(deps.runtime, engine, request(), holder, growing);
  } catch (error) {
    result = { kind: 'failed', error, text: '' };
  }
  switch (result.kind) {
    case 'lost':
      return { kind: 'lost' };
    case 'stopped':
      return { outcome: 'stopped', text: result.text };
    case 'failed':
      return failed(deps, target, growing, asking.turn, result);
    case 'answer':
      return answered(result, resolved, hasTime ? EMPTY_TWICE : EMPTY_ONCE);
  }
}

function isEmpty(result: StepResult): boolean {
  return result.kind === 'answer' && result.reason !== 'refused' && result.text.trim() === '';
}

function requestOf(holder: Holder, { tenant, turn, history, resolved }: Asking): EngineRequest {
  const { effort, fast } = turn.options;
  return {
    model: resolved.model,
    system: systemPrompt(holder.state, skillsFor(tenant), history),
    messages: transcript(turn, history),
    ...(effort === undefined ? {} : { effort }),
    ...(fast === undefined ? {} : { fast }),
    ...(resolved.maxOutputTokens === undefined ? {} : { maxOutputTokens: resolved.maxOutputTokens }),
  };
}

const CUT_OFF = '*The answer was cut off: it reached the longest that the model may write. Ask me to go on.*';

function answered(result: Extract<StepResult, { kind: 'answer' }>, resolved: Resolved, empty: string): TurnEnd {
  const { text, usage, reason } = result;
  const facts = { model: resolved.name, usage, ...contextOf(usage) };
  if (text.trim() === '') {
    const notice = reason === 'refused' ? troubleOf({ fault: 'refused' }, 0, false).notice : empty;
    return { outcome: 'failed', text: '', notice, ...facts };
  }
  return { outcome: 'complete', text, ...facts, ...(reason === 'length' ? { notice: CUT_OFF } : {}) };
}

function contextOf({ inputTokens, outputTokens }: Usage): { contextTokens?: number } {
  return inputTokens === undefined ? {} : { contextTokens: inputTokens + (outputTokens ?? 0) };
}

/** A provider's failure: the turn ends with plain words, or is handed over to a delayed hint (DESIGN 3, Waits). */
async function failed(
  deps: WorkerDeps,
  target: ReplyTarget,
  growing: GrowingReply,
  turn: Turn,
  result: Extract<StepResult, { kind: 'failed' }>,
): Promise<TurnEnd | TurnRun> {
  const { holder } = target;
  const failure = isProviderFailure(result.error) ? result.error : { fault: 'unreachable' as const };
  deps.logger.error('turn.provider-failed', result.error, { fault: failure.fault, tries: turn.tries });
  const trouble = troubleOf(failure, turn.tries, target.to.group === true);
  await growing.end();
  if (trouble.kind === 'end') return { outcome: 'failed', text: result.text, notice: trouble.notice };
  await showNotice(target, trouble.notice);
  const now = deps.runtime.now();
  const data = { ...holder.claim, notBefore: now + trouble.waitMs, reason: 'wait' as const };
  const { event } = await holder.append((state) =>
    // `/stop` may have come since this worker last looked; nobody would look before the wait is over.
    state.turn?.stopAsked
      ? decideEnd(state, holder.claim, { outcome: 'stopped', text: result.text }, now)
      : { type: 'turn.yielded', data },
  );
  if (!event) return { kind: 'lost' };
  return event.type === 'turn.ended' ? { kind: 'ended' } : { kind: 'wait', waitMs: trouble.waitMs };
}

/** Tells in the growing reply that it goes on later. */
async function showNotice(target: ReplyTarget, markdown: string): Promise<void> {
  const id = target.holder.state.turn?.parts[0];
  const [piece] = target.app.render({ markdown });
  if (id !== undefined && piece) await editPart(target, id, piece);
}

async function end(deps: WorkerDeps, holder: Holder, turnEnd: TurnEnd): Promise<TurnRun> {
  const held = await holder.append((state) => decideEnd(state, holder.claim, turnEnd, deps.runtime.now()));
  if (!held.event) return { kind: 'lost' };
  const { inputTokens = 0, outputTokens = 0 } = turnEnd.usage ?? {};
  if (inputTokens + outputTokens > 0) countUse(deps, holder.place.tenant, { inputTokens, outputTokens });
  return { kind: 'ended' };
}
