import { createHash } from 'node:crypto';
import type { Usage } from '../domain/events.ts';
import { type Answering, summedOf, turnOf } from './answering.ts';
import { countStep } from './endTurn.ts';

/** How far a compaction has come in the text that it sums up. */
export interface SummedSoFar {
  /** All before this UTF-16 unit is in the summary. */
  at: number;
  /** How much the next part holds, UTF-16 units. */
  size: number;
  summary: string;
  /** Of all parts so far, and of those of another text that this turn had begun to sum up. */
  usage: Usage;
}

/** Names a text: where the same turn has to sum up just this again, it goes on from its parts. */
const nameOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** How far the worker before this one has come with the same text; undefined if it has to be begun. */
export function summedSoFar(answering: Answering, text: string): SummedSoFar | undefined {
  const newest = summedOf(answering)?.data;
  if (newest?.of !== nameOf(text)) return undefined;
  const { at, size, summary, usage = {} } = newest;
  return { at, size, summary, usage };
}

/**
 * Keeps a part in the log, so that no worker asks for it again.
 * @param used by this part alone.
 * @returns why the compaction does not go on, if it does not; `left`: its memory is no longer in force, and nobody else
 *   needs the summary.
 */
export async function keepPart(
  answering: Answering,
  text: string,
  soFar: SummedSoFar,
  { used, trigger }: { used: Usage; trigger: 'manual' | 'auto' },
): Promise<'lost' | 'stopped' | 'left' | undefined> {
  const { holder, history, deps } = answering;
  const { memory } = turnOf(answering);
  const held = await holder.append((state) => {
    if (trigger === 'manual' && state.memory.id !== memory.id) return undefined;
    return { type: 'context.summed', data: { ...holder.claim, of: nameOf(text), ...soFar } };
  });
  if (!held.event) return held.lost ? 'lost' : holder.stopAsked ? 'stopped' : 'left';
  history.push(held.event);
  await countStep(deps, holder, used);
  return undefined;
}
