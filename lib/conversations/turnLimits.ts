import { limitSentence } from '../commands/limitWords.ts';
import { count } from '../commands/words.ts';
import type { EventType } from '../domain/events.ts';
import { MINUTE_MS, TURN_STEPS } from '../domain/limits.ts';
import type { TurnEnd } from '../domain/turns.ts';
import { type Answering, askingIn, stepsOf, toldIn, usageOf, withLead } from './answering.ts';
import { afresh } from './providerTrouble.ts';
import { tenantLimit, useToday } from './tenantLimits.ts';

/**
 * A limit that a turn has come to: as many steps as it may take, its tokens or minutes, or the tenant's tokens of the day,
 * which have their sentence.
 */
export type TurnLimit =
  | { of: 'steps'; allowed: string }
  | { of: 'tokens' | 'minutes'; allowed: string }
  | { of: 'day'; sentence: string };

/**
 * Why the turn may ask for no further step, nor for a further part of a summary (SPEC 9.4); undefined while it may. What a
 * compaction has used counts as a step's use does.
 */
export async function limitOf(answering: Answering): Promise<TurnLimit | undefined> {
  const { stepsPerTurn = TURN_STEPS, tokensPerTurn, minutesPerTurn = 0 } = answering.tenant.settings;
  const steps = stepsOf(answering).length;
  if (steps >= stepsPerTurn) return { of: 'steps', allowed: count(steps, 'step') };
  const { inputTokens = 0, outputTokens = 0 } = usageOf(answering);
  if (tokensPerTurn !== undefined && inputTokens + outputTokens >= tokensPerTurn) {
    return { of: 'tokens', allowed: count(tokensPerTurn, 'token') };
  }
  if (isLong(answering)) return { of: 'minutes', allowed: count(minutesPerTurn, 'minute') };
  return isNew(answering) ? undefined : ofTheDay(answering);
}

/** Ends an answer that may take no further step, with what it has said; undefined while it may. */
export async function endAtLimit(answering: Answering): Promise<TurnEnd | undefined> {
  const limit = await limitOf(answering);
  if (!limit) return undefined;
  return ended(answering, stepsOf(answering).length > 0 ? stopped(answering, limit) : notBegun(answering, limit));
}

/** Ends an answer whose compaction came to a limit in its midst. */
export function endUnsummed(answering: Answering, limit: TurnLimit): TurnEnd {
  const why = limit.of === 'day' ? '' : 'This conversation has to be summed up before I go on. ';
  return ended(answering, why + tooMuch(answering, limit));
}

/** Without a step nothing was answered: the message is not remembered, as of every turn that came to nothing. */
function ended(answering: Answering, notice: string): TurnEnd {
  const outcome = stepsOf(answering).length > 0 ? 'complete' : 'failed';
  return { outcome, ...withLead(answering, ''), notice: `*${notice}*` };
}

const VERBS = { tokens: 'read and write', minutes: 'take' };

function stopped(answering: Answering, limit: TurnLimit): string {
  if (limit.of === 'day') return limit.sentence;
  const where =
    limit.of === 'steps'
      ? `after ${limit.allowed}, as many as one answer may take`
      : `here: one answer may ${VERBS[limit.of]} ${limit.allowed}`;
  return `I stopped ${where}. Tell me${askingIn(answering)} to go on if I should.`;
}

/** A compaction, or waits for the provider, have used it. */
function notBegun(answering: Answering, limit: TurnLimit): string {
  if (limit.of === 'day' || limit.of === 'steps') return stopped(answering, limit);
  const again = `Please send your message again${askingIn(answering)}.`;
  return `I stopped before I could answer: one answer may ${VERBS[limit.of]} ${limit.allowed}. ${again}`;
}

/** Why a compaction went no further. Of a limit of the turn the same again would end the same: the way out is another. */
export function tooMuch(answering: Answering, limit: TurnLimit): string {
  if (limit.of === 'day' || limit.of === 'steps') return stopped(answering, limit);
  const more = limit.of === 'tokens' ? 'more' : 'longer';
  return `It takes ${more} than one answer may ${VERBS[limit.of]}: ${limit.allowed}. ${afresh(toldIn(answering))}`;
}

/** It has asked for nothing yet, and whoever claimed it just now looked at the limits of the day. */
function isNew({ history, holder }: Answering): boolean {
  const { turn, attempt } = holder.claim;
  return (
    attempt === 1 && !history.some(({ type, data }) => ASKS.has(type) && (data as { turn?: string }).turn === turn)
  );
}

const ASKS: ReadonlySet<string> = new Set<EventType>(['step', 'context.summed', 'context.compacted']);

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
async function ofTheDay({ tenant, deps }: Answering): Promise<TurnLimit | undefined> {
  const { tokensPerDay } = tenant.settings;
  if (tokensPerDay === undefined) return undefined;
  const [limits, now] = [{ tokensPerDay }, deps.runtime.now()];
  const reached = tenantLimit(limits, await useToday(deps, tenant.tenant, limits), now);
  return reached && { of: 'day', sentence: limitSentence(reached.limit, reached.allowed, reached.opensAt, now) };
}
