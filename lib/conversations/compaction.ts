import { eventOf, type UnknownEvent } from '../domain/events.ts';
import { compactedAlone } from '../domain/memory.ts';
import type { State, Turn } from '../domain/state.ts';
import { type Answering, turnOf } from './answering.ts';
import { closeReply } from './closeReply.ts';
import { countStep } from './endTurn.ts';
import { askToSumUp, type SummaryFailed, type WantedSummary } from './summary.ts';
import { transcript } from './transcript.ts';

/** What a compaction came to. `nothing`: there is nothing to sum up; `left`: its memory is no longer in force. */
export type Compacted = { kind: 'compacted' } | { kind: 'nothing' } | SummaryFailed;

/**
 * Sums up what the model remembers and appends `context.compacted`; on any failure nothing has changed (SPEC 8.2). The
 * message that is being answered is never summed up before its answer, nor is a call parted from its result (SPEC 8.5).
 */
export async function compactMemory(answering: Answering, wanted: WantedSummary): Promise<Compacted> {
  const { holder, history } = answering;
  const { trigger } = wanted;
  const { memory, kind } = turnOf(answering);
  // Cleared or left meanwhile, what was asked for is discarded (SPEC 5.6).
  const isLeft = (state: State) => trigger === 'manual' && state.memory.id !== memory.id;
  if (isLeft(holder.state)) return { kind: 'left' };
  const upTo = borderOf(answering);
  const past = upTo > memory.upTo ? pastOf(answering, upTo) : [];
  if (past.length === 0) return { kind: 'nothing' };
  const summed = await askToSumUp(answering, past, wanted);
  if (summed.kind !== 'summary') return summed;
  // The event is all that such a turn has to say: what still grew behind it would be a message of its own.
  if (kind === 'compact') await answering.growing.end();
  const said = await closeReply(answering);
  if (said === undefined) return { kind: 'lost' };
  const held = await holder.append((state) => {
    if (isLeft(state)) return undefined;
    const reading = state.memory.id === memory.id ? state.reading : undefined;
    const preTokens = reading && !reading.compacted ? reading.tokens : undefined;
    return {
      type: 'context.compacted',
      data: {
        ...{ ...holder.claim, memory: memory.id, upTo, trigger, summary: summed.text, usage: summed.usage },
        ...(preTokens === undefined ? {} : { preTokens }),
        ...(said === '' ? {} : { said }),
      },
    };
  });
  if (!held.event) return held.lost ? { kind: 'lost' } : holder.stopAsked ? { kind: 'stopped' } : { kind: 'left' };
  history.push(held.event);
  await countStep(answering.deps, holder, summed.uncounted);
  return { kind: 'compacted' };
}

/** Up to where a compaction sums up: before the messages of the turn, or in mid-turn the newest results of tools. */
function borderOf(answering: Answering): number {
  const { history, holder } = answering;
  const turn = turnOf(answering);
  const results = history.findLast((event) => eventOf(event, 'tool.result')?.data.turn === holder.claim.turn);
  return results ? results.seq : inPairs(history, Math.min(turn.start, ...turn.messages) - 1);
}

/** Not between a step of an earlier turn and the results that came behind it: the step stays with them (SPEC 8.5). */
function inPairs(history: readonly UnknownEvent[], upTo: number): number {
  const step = history.findLast(({ type, seq }) => type === 'step' && seq <= upTo);
  const { turn, n } = (step?.data ?? {}) as { turn?: string; n?: number };
  const isParted = history.some(({ seq, type, data }) => {
    const result = data as { turn?: string; n?: number };
    return type === 'tool.result' && seq > upTo && result.turn === turn && result.n === n;
  });
  return step && isParted ? step.seq - 1 : upTo;
}

/** What the model remembers up to there, as it reads it. */
function pastOf(answering: Answering, upTo: number) {
  const turn = turnOf(answering);
  const isMine = (event: UnknownEvent) =>
    event.seq <= upTo || event.seq === turn.memory.summary || endedInNothing(event);
  const before: Turn = { ...turn, messages: turn.messages.filter((seq) => seq <= upTo) };
  return transcript(before, answering.history.filter(isMine), answering.resolved.name);
}

/** Known also where it stands behind the border: what the turn had to answer is remembered no more. */
function endedInNothing(event: UnknownEvent): boolean {
  const ended = eventOf(event, 'turn.ended')?.data;
  return ended?.outcome === 'failed' && ended.text.trim() === '';
}

/** A turn past this share of the window is compacted first (SPEC 8.2). */
const FULL = 0.85;
/** Fewer than most texts have, so that what is not measured yet is rather taken for too much. */
const CHARS_PER_TOKEN = 3;

/** Whether the next request would fill the window too far, as far as can be told before it is made. */
export function isNearlyFull(answering: Answering, requestChars: number): boolean {
  const { resolved } = answering;
  return estimate(answering, requestChars) > FULL * resolved.contextWindow;
}

/** What was measured of the last step of this memory, and what has come since; else the whole request by its length. */
function estimate(answering: Answering, requestChars: number): number {
  const { history, resolved } = answering;
  const turn = turnOf(answering);
  const alone = compactedAlone(turn, history);
  const measured = history.findLast(({ seq, data }) => {
    const { contextTokens, model, turn: by = '' } = data as { contextTokens?: number; model?: string; turn?: string };
    const isOfThis = seq > (turn.memory.summary ?? 0) && seq < (alone.get(by) ?? Number.POSITIVE_INFINITY);
    return contextTokens !== undefined && model === resolved.name && isOfThis;
  });
  if (!measured) return requestChars / CHARS_PER_TOKEN;
  const { contextTokens = 0 } = measured.data as { contextTokens?: number };
  const own = new Set(turn.messages);
  const since = history.filter(
    ({ seq, type }) => type !== 'context.summed' && (seq > measured.seq || (own.has(seq) && type !== 'turn.started')),
  );
  return contextTokens + since.reduce((sum, { data }) => sum + JSON.stringify(data).length, 0) / CHARS_PER_TOKEN;
}
