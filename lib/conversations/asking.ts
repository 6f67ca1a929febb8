import { skillsFor } from '../commands/catalog.ts';
import { LOAD_SKILL } from '../domain/toolCalls.ts';
import type { TurnEnd } from '../domain/turns.ts';
import type { EngineRequest, ProviderFailure, TranscriptMessage } from '../ports/engine.ts';
import { type Answering, leadOf, type TurnRun, toldIn, turnOf, withLead } from './answering.ts';
import { cacheKeyOf } from './cacheKey.ts';
import { compactInTurn } from './compactTurn.ts';
import { EXIT_PLAN_TOOL } from './planMode.ts';
import { systemPrompt } from './prompt.ts';
import { logFailure, MESSAGE_TOO_LONG, troubleOf } from './providerTrouble.ts';
import { runStep, type StepResult } from './step.ts';
import { transcript } from './transcript.ts';
import { tryLater } from './tryLater.ts';

/** Asks the provider for one step. @param request what `requestOf` gives now. @throws as `runStep`. */
export function askProvider(answering: Answering, request: EngineRequest): Promise<StepResult> {
  const { deps, engine, holder, growing } = answering;
  return runStep(deps.runtime, engine, request, holder, growing, leadOf(answering));
}

/** The request for the next step: a fold of the log, the same for whichever worker makes it. */
export function requestOf(answering: Answering): EngineRequest {
  const { holder, tenant, history, resolved, engine, box, canAsk } = answering;
  const turn = turnOf(answering);
  const { effort, fast, mode } = turn.options;
  const plans = mode === 'plan';
  const native = engine.planApproval === 'native';
  const offersPlan = plans && canAsk && resolved.tools && !native;
  const tools = resolved.tools
    ? [...box.tools.filter(({ readOnly }) => readOnly || !plans), ...(offersPlan ? [EXIT_PLAN_TOOL] : [])]
    : [];
  // A fallback may use tools where the model that the turn began with, and the tools were opened for, may not.
  const canLoad = tools.some(({ name }) => name === LOAD_SKILL);
  return {
    model: resolved.model,
    system: systemPrompt(holder.state, skillsFor(tenant), history, { canAsk: offersPlan, canLoad }),
    messages: endingInWords(transcript(turn, history, resolved.name)),
    cacheKey: cacheKeyOf(holder.place, turn.memory.id),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })) }),
    ...(native && plans && canAsk ? { mayAskToStart: true as const } : {}),
    ...(effort === undefined ? {} : { effort }),
    ...(fast === undefined ? {} : { fast }),
    ...(resolved.maxOutputTokens === undefined ? {} : { maxOutputTokens: resolved.maxOutputTokens }),
  };
}

/**
 * Some providers take no request that ends with the assistant, as one of another model does after the steps that the one
 * before it had taken.
 */
function endingInWords(messages: TranscriptMessage[]): TranscriptMessage[] {
  return messages.at(-1)?.role === 'assistant' ? [...messages, { role: 'user', text: GO_ON }] : messages;
}

const GO_ON = '(Go on from here.)';

/** Failures that another model may not have. */
const ANOTHER_MAY: ReadonlySet<ProviderFailure['fault']> = new Set([
  'rate-limited',
  'overloaded',
  'failing',
  'unreachable',
  'silent',
  'unauthorized',
  'billing',
  'unknown-model',
]);

/**
 * A provider's failure. Of a context that is too long the past is summed up, once (SPEC 8.6). Else the tenant's fallback
 * answers in its place, for this turn alone; else the turn ends with plain words, or is handed over to a delayed hint (DESIGN 3, Waits).
 */
export async function afterFailure(
  answering: Answering,
  result: Extract<StepResult, { kind: 'failed' }>,
): Promise<'go-on' | TurnEnd | TurnRun> {
  const { deps, growing } = answering;
  const { tries } = turnOf(answering);
  const { failure } = result;
  logFailure(deps.logger, 'turn.provider-failed', failure, { tries });
  if (failure.fault === 'too-long' && !answering.madeRoom) {
    answering.madeRoom = true;
    const border = turnOf(answering).memory.upTo;
    const over = await compactInTurn(answering);
    if (over || turnOf(answering).memory.upTo !== border) return over ?? 'go-on';
  }
  if (failure.fault === 'too-long' && isAlone(answering)) {
    return { outcome: 'failed', ...withLead(answering, result.text), notice: MESSAGE_TOO_LONG };
  }
  if (ANOTHER_MAY.has(failure.fault) && (await fallBack(answering))) return 'go-on';
  const trouble = troubleOf(failure, tries, toldIn(answering));
  await growing.end();
  if (trouble.kind === 'end') return { outcome: 'failed', ...withLead(answering, result.text), notice: trouble.notice };
  return tryLater(answering, trouble, result.text);
}

/** Whether the request holds the message to be answered and nothing else: then no clear would help. */
function isAlone(answering: Answering): boolean {
  return requestOf(answering).messages.length === 1 && turnOf(answering).memory.summary === undefined;
}

/** Lets the tenant's fallback answer from here on; false if there is none besides. It never becomes the chat's choice. */
async function fallBack(answering: Answering): Promise<boolean> {
  const { deps, tenant, resolved } = answering;
  const { fallback } = tenant.settings;
  if (fallback === undefined || answering.insteadOf !== undefined) return false;
  const other = deps.resolveModel(tenant.providers, { model: fallback }, {});
  if (!other.ok || other.name === resolved.name) return false;
  try {
    answering.engine = await deps.openEngine(tenant.tenant, other.provider);
  } catch (error) {
    deps.logger.error('turn.no-fallback', error);
    return false;
  }
  answering.insteadOf = resolved.name;
  answering.resolved = other;
  return true;
}
