import { TURN_STEPS } from '../domain/limits.ts';
import { type Answering, stepsOf, usageOf } from './answering.ts';

/** Why the turn may take no further step, as a sentence for the person; undefined while it may (SPEC 9.4). */
export function limitOf(answering: Answering): string | undefined {
  const { tenant, history, holder, deps } = answering;
  const { stepsPerTurn = TURN_STEPS, tokensPerTurn, minutesPerTurn } = tenant.settings;
  const steps = stepsOf(answering).length;
  if (steps === 0) return undefined;
  if (steps >= stepsPerTurn) return `*I stopped after ${steps} steps. Tell me to go on if I should.*`;
  const { inputTokens = 0, outputTokens = 0 } = usageOf(answering);
  if (tokensPerTurn !== undefined && inputTokens + outputTokens >= tokensPerTurn) return LARGE;
  const mine = history.filter(({ data }) => (data as { turn?: string }).turn === holder.claim.turn);
  // The time that a question was open is the person's.
  const answered = mine.findLast(({ type }) => type === 'question.answered');
  const began = answered ?? mine.find(({ type }) => type === 'turn.started');
  const age = began ? deps.runtime.now() - began.at : 0;
  return minutesPerTurn !== undefined && age >= minutesPerTurn * 60_000 ? LONG : undefined;
}

const LARGE = '*I stopped here: one answer may not use more than this. Tell me to go on if I should.*';
const LONG = '*I stopped here: one answer may not take longer than this. Tell me to go on if I should.*';
