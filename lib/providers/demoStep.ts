import { EXIT_PLAN_MODE, type ToolCall, type ToolResult } from '../domain/toolCalls.ts';
import type { EngineRequest, TranscriptMessage } from '../ports/engine.ts';
import { demoAnswer } from './demoAnswers.ts';
import { type Asked, KEEPS_PLANNING, quoted, readRequest, shortened } from './demoRequest.ts';
import { asksForSummary } from './demoSummary.ts';
import { namedCalls } from './demoTools.ts';

/** What the demo engine says, and calls, in one step. */
export interface DemoStep {
  text: string;
  calls: ToolCall[];
}

/**
 * The demo engine's step; the same request gives the same one. It calls the tools that the person's words name (`use
 * TOOL with {json}`). In plan mode, where somebody can press Start, it answers a request for work with a plan and asks
 * to start (SPEC 7.1).
 */
export function demoStep(request: EngineRequest): DemoStep {
  const asked = readRequest(request);
  const last = request.messages.at(-1);
  const calls = toCall(request, asked);
  if (calls.length > 0) return { text: `Let me use ${listOf(calls)}.`, calls };
  if (last?.role === 'tool') return { text: afterResults(last.results, asked, request), calls: [] };
  if (request.mayAskToStart && isWork(asked)) return asksToStart(asked, request);
  return { text: demoAnswer(asked), calls: [] };
}

/** The calls that the person asked for and that were not made yet: one of each, or as many steps as they said. */
function toCall(request: EngineRequest, { text }: Asked): ToolCall[] {
  const named = namedCalls(text, request.tools ?? []);
  const made = stepsSince(request.messages).flatMap(({ calls = [] }) => calls.map(({ name }) => name));
  const wanted = named.filter(({ name, times }) => made.filter((one) => one === name).length < times);
  const count = callsIn(request.messages);
  return wanted.map(({ name, input }, n) => ({ id: `demo-${count + n + 1}`, name, input }));
}

type Step = Extract<TranscriptMessage, { role: 'assistant' }>;

/** The steps with calls since the last answer. */
function stepsSince(messages: readonly TranscriptMessage[]): Step[] {
  const steps = messages.filter((message): message is Step => message.role === 'assistant');
  return steps.slice(steps.findLastIndex(({ calls = [] }) => calls.length === 0) + 1);
}

function callsIn(messages: readonly TranscriptMessage[]): number {
  return messages.reduce((sum, message) => sum + (message.role === 'assistant' ? (message.calls?.length ?? 0) : 0), 0);
}

function listOf(calls: readonly ToolCall[]): string {
  return calls.map(({ name }) => `\`${name}\``).join(' and ');
}

function afterResults(results: readonly ToolResult[], asked: Asked, { mayAskToStart }: EngineRequest): string {
  const exit = results.find(({ name }) => name === EXIT_PLAN_MODE);
  if (!exit) return results.map(reported).join('\n\n');
  if (exit.error || mayAskToStart) return KEEPS_PLANNING;
  return `Done: ${shortened(asked.said[0] ?? '')}\n\nI am the built-in demo, so I only say so.`;
}

function reported({ name, output, error }: ToolResult): string {
  return `\`${name}\` ${error ? 'failed' : 'gave'}:\n\n${quoted(output.trim() || '(nothing)')}`;
}

/** A request for work; what is none is answered in plan mode as in any other. */
function isWork(asked: Asked): boolean {
  const text = asked.said.at(-1)?.trim() ?? '';
  return !NO_WORK.test(text) && !asksForSummary(asked);
}

/** Nothing, a question, a greeting, or a sum. */
const NO_WORK =
  /^$|\?\s*$|^\W*(who|what|when|where|why|which|how|is|are|do|does|did)\b|^\W*(hi|hello|hey|thanks)\b.{0,20}$|^[\d\s.+\-*/×÷()=]+$/i;

function asksToStart({ said }: Asked, { messages }: EngineRequest): DemoStep {
  const [work = '', ...changes] = said.map(shortened);
  const steps = [
    `Look at what is asked for: ${work}`,
    ...changes.map((change) => `Change the plan as you said: ${change}`),
    'Carry it out.',
    'Tell you what was done.',
  ];
  const plan = steps.map((step, n) => `${n + 1}. ${step}`).join('\n');
  return { text: '', calls: [{ id: `demo-${callsIn(messages) + 1}`, name: EXIT_PLAN_MODE, input: { plan } }] };
}
