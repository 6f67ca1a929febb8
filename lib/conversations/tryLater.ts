import { decideEnd } from '../domain/turns.ts';
import { type Answering, type TurnRun, withLead } from './answering.ts';
import type { Trouble } from './providerTrouble.ts';
import { editPart, type ReplyTarget } from './replyParts.ts';

/**
 * Hands the turn over to a delayed hint, since what a provider's failure is about may pass, and says so where the reply
 * grows (DESIGN 3, Waits). Nothing of the growing reply may be on its way any more.
 * @param text what the step under way has said, for the end of a turn that was stopped meanwhile.
 */
export async function tryLater(
  answering: Answering,
  { waitMs, notice }: Extract<Trouble, { kind: 'wait' }>,
  text: string,
): Promise<TurnRun> {
  const { deps, holder, target } = answering;
  await showNotice(target, notice);
  const now = deps.runtime.now();
  const data = { ...holder.claim, notBefore: now + waitMs, reason: 'wait' as const };
  const { event } = await holder.append((state) =>
    // `/stop` may have come since this worker last looked; nobody would look before the wait is over.
    state.turn?.stopAsked
      ? decideEnd(state, holder.claim, { outcome: 'stopped', ...withLead(answering, text) }, now)
      : { type: 'turn.yielded', data },
  );
  if (!event) return { kind: 'lost' };
  return event.type === 'turn.ended' ? { kind: 'ended' } : { kind: 'wait', waitMs };
}

/** Tells in the growing reply that it goes on later. */
async function showNotice(target: ReplyTarget, markdown: string): Promise<void> {
  const id = target.holder.state.turn?.parts[0];
  const [piece] = target.app.render({ markdown });
  if (id !== undefined && piece) await editPart(target, id, piece);
}
