import { eventOf } from '../domain/events.ts';
import type { TurnEnd } from '../domain/turns.ts';
import type { ProviderFailure, ProviderFault } from '../ports/engine.ts';
import { type Answering, leadOf, type TurnRun, toldIn, turnOf, withLead } from './answering.ts';
import { compactMemory } from './compaction.ts';
import { handOver } from './handOver.ts';
import { logFailure, startAfresh, troubleOf } from './providerTrouble.ts';
import { tryLater } from './tryLater.ts';
import { endUnsummed, tooMuch } from './turnLimits.ts';

/** Faults that nothing the person could put in another way would mend. */
const REJECTED: ReadonlySet<ProviderFault> = new Set(['bad-request', 'refused', 'too-long']);

/**
 * A turn that compacts on request (SPEC 8.2); it ends with `context.compacted`, or as failed, and then nothing has changed.
 * A failure that may pass is tried again after a wait, as an answer is.
 */
export async function compactOnRequest(answering: Answering): Promise<TurnEnd | TurnRun> {
  const { growing, history } = answering;
  growing.show('*Summing up…*');
  const asked = history.find(({ seq }) => seq === turnOf(answering).answers);
  const keep = asked && eventOf(asked, 'compact.asked')?.data.keep;
  const compacted = await compactMemory(answering, { trigger: 'manual', ...(keep === undefined ? {} : { keep }) });
  switch (compacted.kind) {
    case 'compacted':
      return { kind: 'ended' };
    case 'lost':
      return { kind: 'lost' };
    case 'interrupted':
      return handOver(answering);
    case 'stopped':
      return { outcome: 'stopped', text: '' };
    case 'nothing':
      return { outcome: 'failed', text: '', notice: 'There was nothing to sum up.' };
    case 'left':
      return {
        outcome: 'failed',
        text: '',
        notice: 'The conversation was cleared or left meanwhile, so I summed nothing up.',
      };
    case 'limit':
      return unchanged(tooMuch(answering, compacted.limit));
    case 'failed':
      return afterFailure(answering, compacted.failure);
  }
}

/** What may pass is tried again from the part on at which it failed: those before it are kept. */
async function afterFailure(answering: Answering, failure: Error & ProviderFailure): Promise<TurnEnd | TurnRun> {
  const { deps, growing } = answering;
  const { tries } = turnOf(answering);
  logFailure(deps.logger, 'turn.not-compacted', failure, { tries });
  const told = toldIn(answering);
  if (REJECTED.has(failure.fault)) return unchanged(startAfresh(told, failure.fault));
  const trouble = troubleOf(failure, tries, told);
  if (trouble.kind === 'end') return unchanged(trouble.notice);
  await growing.end();
  return tryLater(answering, trouble, '');
}

function unchanged(why: string): TurnEnd {
  return {
    outcome: 'failed',
    text: '',
    notice: `I could not sum this conversation up, and nothing has changed. ${why}`,
  };
}

/**
 * Compacts in a turn that answers (SPEC 8.2, 8.6): the turn goes on, with the summary or, where there is none, as it was.
 * @returns undefined if it goes on.
 */
export async function compactInTurn(answering: Answering): Promise<TurnEnd | TurnRun | undefined> {
  const { deps, growing } = answering;
  const lead = leadOf(answering);
  growing.show([lead, '*Summing up what was said before…*'].filter(Boolean).join('\n\n'));
  const compacted = await compactMemory(answering, { trigger: 'auto' });
  if (compacted.kind === 'failed') logFailure(deps.logger, 'turn.not-compacted', compacted.failure);
  if (compacted.kind === 'lost') return { kind: 'lost' };
  if (compacted.kind === 'interrupted') return handOver(answering);
  if (compacted.kind === 'limit') return endUnsummed(answering, compacted.limit);
  return compacted.kind === 'stopped' ? { outcome: 'stopped', ...withLead(answering, '') } : undefined;
}
