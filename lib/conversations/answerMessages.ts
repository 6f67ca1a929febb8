import { escapeMarkdown } from '../commands/words.ts';
import type { TurnEnd } from '../domain/turns.ts';
import { type EngineRequest, wordsOf } from '../ports/engine.ts';
import type { ToolBox } from '../ports/tools.ts';
import { personRole } from './access.ts';
import { type Answering, askedBy, askingIn, contextOf, type TurnRun, turnOf, usageOf, withLead } from './answering.ts';
import { afterFailure, askProvider, requestOf } from './asking.ts';
import { isNearlyFull } from './compaction.ts';
import { compactInTurn, compactOnRequest } from './compactTurn.ts';
import { countStep, endTurn } from './endTurn.ts';
import { handOver, hasTime } from './handOver.ts';
import { EMPTY_ONCE, EMPTY_TWICE, REFUSED } from './providerTrouble.ts';
import type { StepResult } from './step.ts';
import { act } from './toolCalls.ts';
import { endAtLimit } from './turnLimits.ts';

const NO_TOOLS: ToolBox = { tools: [], close: async () => undefined };

/** A turn to be answered, before its engine and its tools are open. */
export type ToAnswer = Omit<Answering, 'engine' | 'box' | 'canAsk'>;

/**
 * Answers the messages of a turn: asks the provider, acts on the tools that it calls, and asks again, until it answers
 * without a call (SPEC 7). Each step is in the log before its tools run, so that the next worker goes on from there.
 */
export async function answerMessages(to: ToAnswer): Promise<TurnEnd | TurnRun> {
  const { deps, tenant, resolved } = to;
  let box = NO_TOOLS;
  let answering: Answering | undefined;
  try {
    const [engine, canAsk, opened] = await Promise.all([
      deps.openEngine(tenant.tenant, resolved.provider),
      somebodyCanAnswer(to),
      resolved.tools ? deps.openTools(tenant) : NO_TOOLS,
    ]);
    box = opened;
    answering = { ...to, engine, box, canAsk };
    return await (turnOf(to).kind === 'compact' ? compactOnRequest(answering) : takeSteps(answering));
  } catch (error) {
    // Whoever has lost the turn finds it changed under its hands.
    if (to.holder.lost) return { kind: 'lost' };
    throw error;
  } finally {
    // A boundary begins another reply than the one that the turn began with.
    await Promise.all([answering?.growing.end(), box.close()]);
  }
}

/** A group guest's conversation has nobody who may answer a question (SPEC 7.4). */
async function somebodyCanAnswer(to: ToAnswer): Promise<boolean> {
  const { deps, tenant, target, channelId } = to;
  if (!target.to.group) return true;
  const record = tenant.channels.find(({ id }) => id === channelId);
  const person = askedBy(to);
  if (!record || !person) return false;
  const { person: known } = await deps.tenants.check(tenant.tenant, channelId, person.id);
  const role = personRole(record, person.id, true, known);
  return role === 'owner' || role === 'let-in';
}

async function takeSteps(answering: Answering): Promise<TurnEnd | TurnRun> {
  for (let asked = 0; ; asked++) {
    if (asked > 0 && !hasTime(answering)) return handOver(answering);
    const acted = await act(answering);
    if (acted !== 'go-on') return acted;
    const end = await endAtLimit(answering);
    if (end) return end;
    const request = await fittingRequest(answering);
    if ('over' in request) return request.over;
    const next = await take(answering, await ask(answering, request));
    if (next !== 'go-on') return next;
  }
}

/**
 * The next request. Compacts first where it would fill the window too far; if that fails the request is tried all the
 * same, unless a limit leaves no room for it.
 */
async function fittingRequest(answering: Answering): Promise<EngineRequest | { over: TurnEnd | TurnRun }> {
  const request = requestOf(answering);
  const chars = request.system.length + request.messages.reduce((sum, message) => sum + wordsOf(message).length, 0);
  if (!isNearlyFull(answering, chars)) return request;
  const over = (await compactInTurn(answering)) ?? (await endAtLimit(answering));
  return over ? { over } : requestOf(answering);
}

/** An empty answer is tried once more, if there is time for a whole step (SPEC 13.5). */
async function ask(answering: Answering, request: EngineRequest): Promise<StepResult> {
  const result = await askProvider(answering, request);
  if (!isEmpty(result) || !hasTime(answering)) return result;
  if (result.kind === 'answer') countStep(answering.deps, answering.holder, result.usage);
  return askProvider(answering, requestOf(answering));
}

function isEmpty(result: StepResult): boolean {
  return (
    result.kind === 'answer' && result.calls.length === 0 && result.reason !== 'refused' && result.text.trim() === ''
  );
}

async function take(answering: Answering, result: StepResult): Promise<'go-on' | TurnEnd | TurnRun> {
  switch (result.kind) {
    case 'lost':
      return { kind: 'lost' };
    case 'interrupted':
      return handOver(answering);
    case 'stopped':
      return { outcome: 'stopped', ...withLead(answering, result.text) };
    case 'failed':
      return afterFailure(answering, result);
    case 'answer':
      return result.calls.length > 0 ? takeCalls(answering, result) : answered(answering, result);
  }
}

type Answer = Extract<StepResult, { kind: 'answer' }>;

/** Larger calls would not fit the store beside the step's text. */
const CALLS_BYTES = 100_000;
/** More nobody can look at, and no server of tools is to be asked at once. */
const MOST_CALLS = 64;
const TOO_LARGE = 'The model asked for something too large to carry out. Try to ask for less at once.';

/** The step is in the log before its tools run. */
async function takeCalls(answering: Answering, result: Answer): Promise<'go-on' | TurnEnd | TurnRun> {
  const { deps, holder, history, resolved } = answering;
  const { text, calls, own, session, usage } = result;
  if (calls.length > MOST_CALLS || Buffer.byteLength(JSON.stringify(calls)) > CALLS_BYTES)
    return { outcome: 'failed', ...withLead(answering, text), notice: TOO_LARGE };
  const { memory, steps } = turnOf(answering);
  const held = await holder.append(() => ({
    type: 'step',
    data: {
      ...{ ...holder.claim, memory: memory.id, n: steps + 1, text, calls, model: resolved.name },
      ...{
        usage,
        ...contextOf(usage),
        ...(own === undefined ? {} : { own }),
        ...(session === undefined ? {} : { session }),
      },
    },
  }));
  if (!held.event) return held.lost ? { kind: 'lost' } : { outcome: 'stopped', ...withLead(answering, text) };
  history.push(held.event);
  countStep(deps, holder, usage);
  return 'go-on';
}

const CUT_OFF = 'The answer was cut off: it reached the longest that the model may write.';
const BROKEN_OFF = '*The model broke the answer off here and declined to go on.*';
const NOTHING_MORE = '*The model said nothing more.*';

/** What is said under an answer that ended before its end. */
function shortOf(answering: Answering, { reason }: Answer): string {
  if (reason === 'length') return `*${CUT_OFF} Ask me${askingIn(answering)} to go on.*`;
  return reason === 'refused' ? BROKEN_OFF : '';
}

async function answered(answering: Answering, result: Answer): Promise<TurnRun> {
  const { deps, holder, resolved } = answering;
  const { text, usage, session } = result;
  const facts = {
    model: resolved.name,
    usage: usageOf(answering, usage),
    ...contextOf(usage),
    ...(session === undefined ? {} : { session }),
  };
  const said = withLead(answering, text);
  const notice = noticeOf(answering, said.text);
  const outcome = said.text.trim() === '' ? 'failed' : 'complete';
  await answering.growing.end();
  return endTurn(deps, holder, { outcome, ...said, ...facts, ...(notice === '' ? {} : { notice }) }, usage);

  function noticeOf({ insteadOf }: Answering, whole: string): string {
    if (text.trim() === '' && result.reason === 'refused') return REFUSED;
    if (whole.trim() === '') return hasTime(answering) ? EMPTY_TWICE : EMPTY_ONCE;
    const short = text.trim() === '' ? NOTHING_MORE : shortOf(answering, result);
    const other =
      insteadOf === undefined
        ? ''
        : `*${escapeMarkdown(insteadOf)} did not answer, so ${escapeMarkdown(resolved.name)} did.*`;
    return [short, other].filter(Boolean).join('\n\n');
  }
}
