import { isDeepStrictEqual } from 'node:util';
import { initialState } from '../../lib/domain/state.ts';
import { EXIT_PLAN_MODE } from '../../lib/domain/toolCalls.ts';
import type { EngineRequest, TranscriptMessage } from '../../lib/ports/engine.ts';
import { wordsOf } from '../../lib/ports/engine.ts';
import type { StoredEvent } from '../../lib/ports/log.ts';
import { isSummary, type SeenRequest } from './engine.ts';
import { expectedNames, namesIn, summarizedNames } from './memoryOracle.ts';
import type { ToolRun } from './tools.ts';

/** What is promised of requests, tools and compactions: each function gives what is broken. */

type Claim = SeenRequest['claim'];

/** The log as far as this worker can know it: up to where another one has taken its turn over. */
function knownTo(events: readonly StoredEvent[], { turn, attempt }: Claim): readonly StoredEvent[] {
  const over = events.findIndex(({ data }) => {
    const by = data as { turn?: string; attempt?: number };
    return by.turn === turn && (by.attempt ?? 0) > attempt;
  });
  return over < 0 ? events : events.slice(0, over);
}

/** All that a model reads of a message, with what its own calls say. */
function allWords(message: TranscriptMessage): string {
  const calls = 'calls' in message ? (message.calls ?? []) : [];
  return [wordsOf(message), ...calls.map(({ input }) => JSON.stringify(input))].join('\n');
}

/** What a provider reads is the memory in force, in pairs, and ends with what it is to answer (SPEC 5.2, 7.1, 8.5). */
export function faultsOfRequest(events: readonly StoredEvent[], { claim, request }: SeenRequest): string[] {
  const known = knownTo(events, claim);
  const expected = expectedNames(known, claim.turn);
  const got = namesIn(request.messages.map(allWords).join('\n'));
  if (isSummary(request)) {
    const so = summedBy(known, claim.turn);
    const surplus = got.filter((name) => !expected.includes(name) && !so.some(({ summary }) => summary.includes(name)));
    return [
      ...(surplus.length === 0 ? [] : [`sums up ${surplus.join(' ')}, which it may not know`]),
      ...(goesOn(request, so) ? [] : ['asks for a part again that is kept']),
    ];
  }
  return [
    ...(isDeepStrictEqual(got, expected) ? [] : [`holds ${got.join(' ')}, not ${expected.join(' ')}`]),
    ...unpaired(request.messages),
    ...(request.messages.at(-1)?.role === 'assistant' ? ['ends with the assistant'] : []),
    ...offered(known, request),
  ];
}

/** The parts that the compaction under way has kept, oldest first. */
function summedBy(known: readonly StoredEvent[], turn: string): { summary: string }[] {
  const own = known.filter(({ data }) => (data as { turn?: string }).turn === turn);
  const since = own.slice(own.findLastIndex(({ type }) => type === 'context.compacted') + 1);
  return since.flatMap(({ type, data }) => (type === 'context.summed' ? [data as { summary: string }] : []));
}

/** A part is asked for with the summary of those before it: the newest that is kept. */
function goesOn({ messages }: EngineRequest, kept: readonly { summary: string }[]): boolean {
  const newest = kept.at(-1);
  return newest === undefined || allWords(messages.at(-1) as TranscriptMessage).includes(newest.summary);
}

/** No call without its result, nor the reverse. */
function unpaired(messages: readonly TranscriptMessage[]): string[] {
  return messages.flatMap((message, n) => {
    const next = messages[n + 1];
    const calls = 'calls' in message ? (message.calls ?? []).map(({ id }) => id) : undefined;
    if (message.role === 'tool') {
      const before = messages[n - 1];
      return before && 'calls' in before ? [] : [`has the results of no call at ${n}`];
    }
    if (!calls) return [];
    const results = next?.role === 'tool' ? next.results.map(({ id }) => id) : [];
    return isDeepStrictEqual(results, calls) ? [] : [`has calls ${calls} with results ${results}`];
  });
}

/** In plan mode nothing that changes something is offered, and the goal is one that was in force since (SPEC 6.2, 7.1). */
function offered(known: readonly StoredEvent[], { tools = [], system }: EngineRequest): string[] {
  const { turn } = known.at(-1)?.state ?? initialState;
  const plans = turn?.options.mode === 'plan';
  const names = tools.map(({ name }) => name);
  const goals = known.filter(({ seq }) => seq >= (turn?.start ?? 0)).map(({ state }) => state.goal);
  const isQuoted = goals.some((goal) => (goal === undefined ? !system.includes('\n> ') : system.includes(`> ${goal}`)));
  return [
    ...(plans && names.includes('write') ? ['offers a tool that changes something in plan mode'] : []),
    ...(!plans && names.includes(EXIT_PLAN_MODE) ? ['offers to leave plan mode outside of it'] : []),
    ...(turn && !isQuoted ? [`does not quote the goal ${goals.at(-1)}`] : []),
  ];
}

/** A compaction names all that it sums up, and nothing else; on request it counts only while its memory is in force. */
export function faultsOfCompaction(before: readonly StoredEvent[], { type, seq, data }: StoredEvent): string[] {
  if (type !== 'context.compacted') return [];
  const { turn, upTo, summary, memory, trigger } = data as Record<'turn' | 'summary' | 'trigger', string> &
    Record<'upTo' | 'memory', number>;
  const got = namesIn(summary).filter((name) => !name.startsWith('s'));
  const expected = summarizedNames(before, turn, upTo);
  const isMoved = trigger === 'manual' && before.at(-1)?.state.memory.id !== memory;
  return [
    ...(isDeepStrictEqual(got, expected)
      ? []
      : [`context.compacted#${seq} sums up ${got.join(' ')}, not ${expected.join(' ')}`]),
    ...(isMoved ? [`context.compacted#${seq} of a memory that is not in force`] : []),
  ];
}

/** A tool that changes something runs once for a call, after its event, and where it had to be allowed after that. */
export function faultsOfRun(events: readonly StoredEvent[], claim: Claim, run: ToolRun, times: number): string[] {
  if (run.readOnly) return [];
  const known = knownTo(events, claim);
  const own = known.filter(({ data }) => (data as { turn?: string }).turn === claim.turn);
  const started = own.findLast(({ type }) => type === 'tool.started');
  const { turn, grants = [] } = started?.state ?? initialState;
  const isAllowed =
    turn?.options.mode === 'auto' ||
    turn?.options.mode === 'trust' ||
    turn?.answer === 'allow' ||
    turn?.answer === 'allow-chat' ||
    grants.includes(`desk/${run.name}`);
  return [
    ...(times > 1 ? [`${run.name} ran ${times} times for one call`] : []),
    ...(started ? [] : [`${run.name} ran before it was in the log`]),
    ...(started && !isAllowed ? [`${run.name} ran without being allowed`] : []),
  ];
}
