import { limitSentence } from '../commands/limitWords.ts';
import { count } from '../commands/words.ts';
import { MINUTE_MS, TURN_STEPS } from '../domain/limits.ts';
import { type Answering, askingIn, stepsOf, usageOf } from './answering.ts';
import { tenantLimit, useToday } from './tenantLimits.ts';

/** Why the turn may take no further step, as a sentence for the person; undefined while it may (SPEC 9.4). */
export async function limitOf(answering: Answering): Promise<string | undefined> {
  const { stepsPerTurn = TURN_STEPS, tokensPerTurn, minutesPerTurn = 0 } = answering.tenant.settings;
  const steps = stepsOf(answering).length;
  if (steps === 0) return undefined;
  if (steps >= stepsPerTurn) return stopped(answering, `after ${count(steps, 'step')}, as many as one answer may take`);
  const { inputTokens = 0, outputTokens = 0 } = usageOf(answering);
  if (tokensPerTurn !== undefined && inputTokens + outputTokens >= tokensPerTurn) {
    return stopped(answering, `here: one answer may read and write ${count(tokensPerTurn, 'token')}`);
  }
  return isLong(answering)
    ? stopped(answering, `here: one answer may take ${count(minutesPerTurn, 'minute')}`)
    : ofTheDay(answering);
}

function isLong({ tenant, history, holder, deps }: Answering): boolean {
  const { minutesPerTurn } = tenant.settings;
  if (minutesPerTurn === undefined) return false;
  const mine = history.filter(({ data }) => (data as { turn?: string }).turn === holder.claim.turn);
  // The time that a question was open is the person's.
  const answered = mine.findLast(({ type }) => type === 'question.answered');
  const began = answered ?? mine.find(({ type }) => type === 'turn.started');
  const age = began ? deps.runtime.now() - began.at : 0;
  return age >= minutesPerTurn * MINUTE_MS;
}

/** What others and this turn have used of the day's tokens counts between steps too; the day's turns hold this one already. */
async function ofTheDay({ tenant, deps }: Answering): Promise<string | undefined> {
  const { tokensPerDay } = tenant.settings;
  if (tokensPerDay === undefined) return undefined;
  const [limits, now] = [{ tokensPerDay }, deps.runtime.now()];
  const reached = tenantLimit(limits, await useToday(deps, tenant.tenant, limits), now);
  return reached && `*${limitSentence(reached.limit, reached.allowed, reached.opensAt, now)}*`;
}

function stopped(answering: Answering, where: string): string {
  return `*I stopped ${where}. Tell me${askingIn(answering)} to go on if I should.*`;
}
