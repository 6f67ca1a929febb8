import type { UnderWay } from '../domain/decide.ts';
import type { ReplyContext } from './command.ts';

type Busy = UnderWay | 'question';

const WORDS: Record<Busy, (slash: ReplyContext['slash']) => string> = {
  answering: (slash) => `I am still answering. Wait until I am done, or stop me with ${slash('stop')}`,
  waiting: () => 'A message of yours still waits for its answer. Wait until I am done',
  question: (slash) => `My question to you is still open. Answer it, or close it with ${slash('cancel')}`,
  compacting: () => 'I am summing this conversation up. Wait until I am done',
};

/** Outcomes of `unsettled`: they pass with time. */
export const BUSY_OUTCOMES = Object.keys(WORDS) as readonly Busy[];

/** Why a command is refused just now, and what to do (SPEC 4.8); undefined for another outcome. */
export function busySentence(outcome: string | undefined, { slash }: Pick<ReplyContext, 'slash'>): string | undefined {
  const busy = BUSY_OUTCOMES.find((known) => known === outcome);
  return busy && `${WORDS[busy](slash)}; then try again.`;
}
