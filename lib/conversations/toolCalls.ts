import { count, escapeMarkdown } from '../commands/words.ts';
import { type Draft, type EventOf, eventOf } from '../domain/events.ts';
import { LEASE_MS, TOOL_CALL_MS } from '../domain/limits.ts';
import type { State } from '../domain/state.ts';
import { beginningOf } from '../domain/textSize.ts';
import { type AskedCall, EXIT_PLAN_MODE, needsApproval, type ToolCall, type ToolResult } from '../domain/toolCalls.ts';
import { mayAsk, type TurnEnd } from '../domain/turns.ts';
import type { Tool } from '../ports/tools.ts';
import { type Answering, leadOf, stepsOf, type TurnRun, turnOf, withLead } from './answering.ts';
import { isApproved, planStarted } from './approved.ts';
import { handOver } from './handOver.ts';
import { PLAN_EMPTY, planAnswer } from './planMode.ts';
import { OUTCOME_UNKNOWN, planOf } from './turnContent.ts';
import { whileHeld } from './whileHeld.ts';

/** What became of the calls of the newest step: they have results, or the turn is over or suspended. */
type Acted = 'go-on' | TurnEnd | TurnRun;

/** What is to be done about one call. */
type Plan = { call: ToolCall } & (
  | { kind: 'run'; tool: Tool }
  | { kind: 'ask'; tool: Tool }
  | { kind: 'said'; output: string; error?: true }
);

/** Longest results of one step together, UTF-16 units and bytes as JSON: its event has to fit the store. */
const RESULTS = { chars: 150_000, bytes: 250_000 };
/** Longest input of a call that the person is shown, UTF-16 units; and of all calls of a question, bytes as JSON. */
const SHOWN_CHARS = 1_500;
const ALL_SHOWN_BYTES = 60_000;

/** Acts on the calls of the turn's open step, if it has one (SPEC 7). */
export async function act(answering: Answering): Promise<Acted> {
  const { openStep } = turnOf(answering);
  const step = stepsOf(answering).findLast(({ data }) => data.n === openStep);
  if (openStep === undefined || !step) return 'go-on';
  const plan = planIn(answering, step);
  if (plan !== undefined) return askToStart(answering, step, plan);
  const started = startedIn(answering, step.data.n);
  const plans = step.data.calls.map((call) => planFor(answering, call, started));
  if (plans.some(({ kind }) => kind === 'ask')) {
    const asked = await askToUse(answering, step, plans);
    if (asked) return asked;
  }
  return run(answering, step, plans);
}

/** The plan that the step asks to start, unless that was answered. */
function planIn(answering: Answering, { data }: EventOf<'step'>): string | undefined {
  const call = data.calls.find(({ name }) => name === EXIT_PLAN_MODE);
  const { options, answer } = turnOf(answering);
  if (!call || answer !== undefined || options.mode !== 'plan') return undefined;
  return planOf(call.input) || undefined;
}

/** Shows the plan and suspends the turn; where no question may open, the plan is simply the answer (DESIGN 3a, SPEC 7.4). */
async function askToStart(answering: Answering, step: EventOf<'step'>, plan: string): Promise<Acted> {
  const asked = answering.canAsk && (await ask(answering, step, { kind: 'ExitPlanMode', plan }));
  if (asked) return asked;
  return { outcome: 'complete', ...withLead(answering, plan) };
}

/** Asks for approval and suspends the turn; undefined where nobody can be asked: then the calls are declined. */
async function askToUse(answering: Answering, step: EventOf<'step'>, plans: readonly Plan[]) {
  if (!answering.canAsk) return undefined;
  const bytes = Math.floor(ALL_SHOWN_BYTES / plans.length);
  const calls = plans.flatMap((one): AskedCall[] => {
    if (one.kind !== 'ask') return [];
    const { title, grant } = one.tool;
    return [{ id: one.call.id, title, grant, input: shownInput(one.call.input, bytes) }];
  });
  return ask(answering, step, { kind: 'ToolApproval', calls });
}

function shownInput(input: unknown, bytes: number): string {
  const json = (JSON.stringify(input, undefined, 2) ?? '').replaceAll(INVISIBLE, escaped);
  const shown = beginningOf(json, { chars: SHOWN_CHARS, bytes });
  return shown === json ? json : `${shown}…\n(${count(json.length - shown.length, 'more character')})`;
}

/** What is not seen, or makes text run the other way: the person reads it as JSON writes it. */
const INVISIBLE = /[\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

type Asked = Pick<EventOf<'question.asked'>['data'], 'kind' | 'plan' | 'calls'>;

async function ask(
  answering: Answering,
  { data }: EventOf<'step'>,
  asked: Asked,
): Promise<TurnRun | TurnEnd | undefined> {
  const { holder, deps } = answering;
  if (mayAsk(holder.state, holder.claim)) await answering.growing.end();
  const question = deps.runtime.newId();
  const text = leadOf(answering);
  const make = (state: State): Draft | undefined => {
    if (!mayAsk(state, holder.claim)) return undefined;
    const leaseUntil = deps.runtime.now() + LEASE_MS;
    const { memory } = data;
    const messages = state.turn?.messages ?? [];
    return {
      type: 'question.asked',
      data: { ...holder.claim, memory, leaseUntil, messages, question, ...(text === '' ? {} : { text }), ...asked },
    };
  };
  const held = await holder.append(make);
  if (held.event) return { kind: 'ended' };
  if (held.lost) return { kind: 'lost' };
  return holder.stopAsked ? { outcome: 'stopped', ...withLead(answering, '') } : undefined;
}

/** The calls of this step of the turn that were about to run when the worker before this one went. */
function startedIn({ history, holder }: Answering, n: number): readonly string[] {
  return history.flatMap((event) => {
    const started = eventOf(event, 'tool.started')?.data;
    return started?.turn === holder.claim.turn && started.n === n ? started.calls : [];
  });
}

function planFor(answering: Answering, call: ToolCall, started: readonly string[]): Plan {
  const { box, holder } = answering;
  const { options, answer } = turnOf(answering);
  const { mode = 'ask' } = options;
  if (call.name === EXIT_PLAN_MODE) return { call, kind: 'said', ...planResult(answering) };
  const tool = box.tools.find(({ name }) => name === call.name);
  if (!tool) return { call, kind: 'said', output: `There is no tool ${call.name}.`, error: true };
  if (tool.readOnly) return { call, kind: 'run', tool };
  if (mode === 'plan') return { call, kind: 'said', output: 'Plan mode is on: this tool is not there.', error: true };
  if (started.includes(call.id)) return { call, kind: 'said', output: OUTCOME_UNKNOWN, error: true };
  if (!needsApproval(mode, tool, holder.state.grants ?? [])) return { call, kind: 'run', tool };
  if (answer === 'deny') return { call, kind: 'said', output: DENIED, error: true };
  if (answer !== 'allow' && answer !== 'allow-chat') return { call, kind: 'ask', tool };
  if (isApproved(answering, call, tool.grant)) return { call, kind: 'run', tool };
  return { call, kind: 'said', output: CHANGED, error: true };
}

const DENIED = 'The person did not allow this. Do not try it again; ask them what to do instead.';
/** The tool is not what the person was asked about: its server has said so, or is another one by now. */
const CHANGED =
  'It was not run: the tool has changed since the person was asked. Call it again, so that they are asked anew.';
/** Where no one can be asked, or the person has gone on meanwhile. */
const DECLINED = 'It was not run: nobody could approve it now. Say what you would have done.';
/** What only reads may be read again. */
const STOPPED = 'It was stopped before it gave a result.';

function planResult(answering: Answering): { output: string; error?: true } {
  const { options } = turnOf(answering);
  if (!planStarted(answering))
    return { output: options.mode === 'plan' ? PLAN_EMPTY : 'Plan mode is not on.', error: true };
  return { output: planAnswer({ answer: 'start', ...(options.mode === undefined ? {} : { mode: options.mode }) }) };
}

/** Runs what may run and appends the results of all; what changes something is marked as started first (DESIGN 3a). */
async function run(answering: Answering, { data }: EventOf<'step'>, plans: readonly Plan[]): Promise<Acted> {
  const { holder, history } = answering;
  const { memory, n } = data;
  const changing = plans.flatMap((one) => (one.kind === 'run' && !one.tool.readOnly ? [one.call.id] : []));
  const isChanging = changing.length > 0;
  if (isChanging) {
    const held = await holder.append(() => ({
      type: 'tool.started',
      data: { ...holder.claim, memory, n, calls: changing },
    }));
    if (!held.event) return held.lost ? { kind: 'lost' } : { outcome: 'stopped', ...withLead(answering, '') };
    history.push(held.event);
  }
  const done: ToolResult[] = [];
  const all = await whileHeld(
    answering.deps.runtime,
    holder,
    (signal) => resultsOf(answering, plans, done, signal),
    isChanging ? GRACE_MS : 0,
  );
  if (holder.lost) return { kind: 'lost' };
  // What only reads is read again by the next worker.
  if (!all && !holder.stopAsked && !isChanging) return handOver(answering);
  const results = all ?? interrupted(plans, done);
  const held = await holder.append(() => ({ type: 'tool.result', data: { ...holder.claim, memory, n, results } }));
  if (!held.event) return { kind: 'lost' };
  history.push(held.event);
  return holder.stopAsked ? { outcome: 'stopped', ...withLead(answering, '') } : 'go-on';
}

/** What changes something and has begun when the process is about to end: as much of what is left as an append leaves it. */
const GRACE_MS = 1_500;

/**
 * What is only read is read at once; what changes something, one after the other.
 * @param results of those that are done, as they come, where they run one after the other.
 */
async function resultsOf(answering: Answering, plans: readonly Plan[], results: ToolResult[], signal: AbortSignal) {
  const together = plans.every((one) => one.kind !== 'run' || one.tool.readOnly);
  showUse(answering, plans);
  const room = {
    chars: Math.floor(RESULTS.chars / plans.length),
    bytes: Math.floor(RESULTS.bytes / plans.length),
  };
  if (together) return Promise.all(plans.map((one) => resultOf(one, room, signal)));
  for (const one of plans) {
    const isLate = one.kind === 'run' && !hasTimeToRun(answering);
    const { id, name } = one.call;
    results.push(isLate ? { id, name, output: NO_TIME, error: true } : await resultOf(one, room, signal));
  }
  return results;
}

/** The longest that a tool may take, and its result to be stored. */
const TIME_TO_RUN_MS = TOOL_CALL_MS + LEASE_MS;
const NO_TIME = 'It was not run: there was no time left for it. Call it again.';

/** To begin what the process's end would break off leaves nobody knowing whether it was done. */
function hasTimeToRun({ deps, deadline }: Answering): boolean {
  return !deps.runtime.ending?.aborted && deadline - deps.runtime.now() >= TIME_TO_RUN_MS;
}

async function resultOf(plan: Plan, room: { chars: number; bytes: number }, signal: AbortSignal): Promise<ToolResult> {
  const { id, name, input } = plan.call;
  if (plan.kind === 'said') return { id, name, output: plan.output, ...(plan.error ? { error: true } : {}) };
  if (plan.kind === 'ask') return { id, name, output: DECLINED, error: true };
  const { text, error } = await plan.tool.run(input, signal);
  const part = beginningOf(text, room);
  const output = part === text ? text : `${part}\n[The rest was cut off.]`;
  return { id, name, output, ...(error ? { error } : {}) };
}

/** Broken off in the middle: of what was running nobody knows how far it came. @param done of those before it. */
function interrupted(plans: readonly Plan[], done: readonly ToolResult[]): ToolResult[] {
  const rest = plans.slice(done.length).map((plan, n): ToolResult => {
    const { id, name } = plan.call;
    if (plan.kind === 'said') return { id, name, output: plan.output, ...(plan.error ? { error: true } : {}) };
    if (plan.kind === 'ask') return { id, name, output: DECLINED, error: true };
    return { id, name, output: plan.tool.readOnly || n > 0 ? STOPPED : OUTCOME_UNKNOWN, error: true };
  });
  return [...done, ...rest];
}

/** Tells in the growing reply which tools are at work. */
function showUse(answering: Answering, plans: readonly Plan[]): void {
  const titles = plans.flatMap((one) => (one.kind === 'run' ? [one.tool.title] : []));
  if (titles.length === 0) return;
  const lead = leadOf(answering);
  const using = `*Using ${escapeMarkdown([...new Set(titles)].join(', '))}…*`;
  answering.growing.show(lead === '' ? using : `${lead}\n\n${using}`);
}
