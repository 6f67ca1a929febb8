import { withAsk } from '../commands/words.ts';
import { type EventOf, type EventType, eventOf, type Person, type UnknownEvent, type Usage } from '../domain/events.ts';
import type { Turn } from '../domain/state.ts';
import type { Claim, Said } from '../domain/turns.ts';
import type { Engine, ResolvedModel } from '../ports/engine.ts';
import type { TenantRecord } from '../ports/tenants.ts';
import type { ToolBox } from '../ports/tools.ts';
import type { WorkerDeps } from './deps.ts';
import type { GrowingReply } from './growing.ts';
import type { Holder } from './holder.ts';
import { toldAt } from './providerTrouble.ts';
import type { ReplyTarget } from './replyParts.ts';
import { slashIn } from './slash.ts';

export type Resolved = Extract<ResolvedModel, { ok: true }>;

/** What a run of a turn came to: it ended or is suspended, it waits for `waitMs`, or another worker has it. */
export type TurnRun = { kind: 'ended' } | { kind: 'wait'; waitMs: number } | { kind: 'yielded' } | { kind: 'lost' };

/** A turn that is being answered: what it works with, and its part of the log as far as it has come. */
export interface Answering {
  deps: WorkerDeps;
  holder: Holder;
  target: ReplyTarget;
  growing: GrowingReply;
  tenant: TenantRecord;
  /** What the turn may see; its own events are added as they are appended. */
  history: UnknownEvent[];
  resolved: Resolved;
  channelId: string;
  engine: Engine;
  box: ToolBox;
  /** Somebody can answer a question here (SPEC 7.4). */
  canAsk: boolean;
  /** When the worker's process is ended, ms. */
  deadline: number;
  /** The provider found the context too long, and it was compacted. */
  madeRoom?: true;
  /** The model in whose place this one answers. */
  insteadOf?: string;
}

/**
 * The turn as it stands; its claim is looked at by whoever appends or sends.
 * @throws if this worker is known to have lost it: what runs then, if anything, is another turn.
 */
export function turnOf({ holder }: Pick<Answering, 'holder'>): Turn {
  const { turn } = holder.state;
  if (holder.lost || turn?.id !== holder.claim.turn) throw new Error('The turn is no longer held');
  return turn;
}

/** Whose message the turn answers. */
export function askedBy({ history, holder }: Pick<Answering, 'history' | 'holder'>): Person | undefined {
  const asked = history.find(({ seq }) => seq === holder.state.turn?.answers);
  return (asked?.data as { person?: Person } | undefined)?.person;
}

/** Who is told what goes wrong in this turn: where, and whether it is the channel's owner (SPEC 13.5). */
export function toldIn(answering: Pick<Answering, 'history' | 'holder' | 'tenant' | 'channelId' | 'target'>) {
  const { tenant, channelId, target, holder } = answering;
  const owner = tenant.channels.find(({ id }) => id === channelId)?.owner;
  return toldAt(target.app, holder.place, { owner: owner !== undefined && owner === askedBy(answering)?.id });
}

/** How the person's words reach this chat, as `withAsk`. */
export function askingIn({ target, holder }: Pick<Answering, 'target' | 'holder'>): string {
  const { limits } = target.app;
  return withAsk({ withoutMessages: !limits.deliversMessages }, slashIn(limits, holder.place));
}

/** What is in the log of a turn. */
export interface Logged {
  history: readonly UnknownEvent[];
  holder: { readonly claim: Pick<Claim, 'turn'> };
}

/** The steps that the turn has taken so far. */
export function stepsOf({ history, holder }: Logged): EventOf<'step'>[] {
  return history.flatMap((event) => {
    const step = eventOf(event, 'step');
    return step?.data.turn === holder.claim.turn ? [step] : [];
  });
}

/** What the person reads before the words of the step that is under way: what the turn has said since its reply began. */
export function leadOf(logged: Logged): string {
  const from = replyBegan(logged);
  const said = stepsOf(logged).filter(({ seq }) => seq > from);
  return said
    .map(({ data }) => data.text.trim())
    .filter(Boolean)
    .join('\n\n');
}

/** Since a question or a boundary, the reply is a new one (SPEC 8.8). */
function replyBegan({ history, holder }: Logged): number {
  const began = history.findLast((event) => {
    const answered = eventOf(event, 'question.answered')?.data;
    const closed = eventOf(event, 'context.compacted')?.data;
    return answered?.turn === holder.claim.turn || (closed?.turn === holder.claim.turn && closed.said !== undefined);
  });
  return began?.seq ?? 0;
}

/** The lead and what follows it, as one text; `lastStepAt` as in `turn.ended`. */
export function withLead(logged: Logged, text: string): Said {
  const lead = leadOf(logged);
  if (lead === '') return { text };
  if (text.trim() === '') return { text: lead, lastStepAt: lead.length };
  return { text: `${lead}\n\n${text}`, lastStepAt: lead.length + 2 };
}

/** The compaction that is under way in this turn, as far as it has come; undefined if no part of one is kept. */
export function summedOf({ history, holder }: Logged): EventOf<'context.summed'> | undefined {
  const newest = history.findLast(
    ({ type, data }) => SUMS_UP.has(type) && (data as { turn?: string }).turn === holder.claim.turn,
  );
  return newest && eventOf(newest, 'context.summed');
}

const SUMS_UP: ReadonlySet<string> = new Set<EventType>(['context.summed', 'context.compacted']);

/** All that the turn has read and written by its steps and its compactions, with a step that is not in the log yet. */
export function usageOf(logged: Logged, last: Usage = {}): Usage {
  const { history, holder } = logged;
  const compacted = history.flatMap((event) => eventOf(event, 'context.compacted')?.data ?? []);
  const own = [
    ...stepsOf(logged).map(({ data }) => data),
    ...compacted.filter(({ turn }) => turn === holder.claim.turn),
  ];
  return totalOf([...own.map(({ usage = {} }) => usage), summedOf(logged)?.data.usage ?? {}, last]);
}

/** What all of these have read and written, as far as it is known. */
export function totalOf(all: readonly Usage[]): Usage {
  const sum = (key: 'inputTokens' | 'outputTokens' | 'cachedTokens') =>
    all.some((usage) => usage[key] !== undefined)
      ? all.reduce((total, usage) => total + (usage[key] ?? 0), 0)
      : undefined;
  const [inputTokens, outputTokens, cachedTokens] = [sum('inputTokens'), sum('outputTokens'), sum('cachedTokens')];
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
  };
}

/** What one step has read and written is what the model's context holds then (SPEC 8.1). */
export function contextOf({ inputTokens, outputTokens }: Usage): { contextTokens?: number } {
  return inputTokens === undefined ? {} : { contextTokens: inputTokens + (outputTokens ?? 0) };
}
