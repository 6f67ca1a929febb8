import type { EventOf } from '../domain/events.ts';
import { EXIT_PLAN_MODE, type ToolCall, type ToolResult } from '../domain/toolCalls.ts';
import type { TranscriptMessage } from '../ports/engine.ts';
import { fenced } from './fenced.ts';
import { PLAN_LEFT, planAnswer } from './planMode.ts';

/** What a turn has added to its memory, as far as it may be seen, in the order of the log. */
export interface TurnEvents {
  /** It began with the memory as it is now: a session of its provider holds nothing else. */
  sameMemory: boolean;
  steps: EventOf<'step'>[];
  /** By step: some providers count their calls anew in each. */
  started: Map<number, readonly string[]>;
  results: Map<number, readonly ToolResult[]>;
  answered?: EventOf<'question.answered'>;
  ended?: EventOf<'turn.ended'>;
}

/** Stands where an answer was stopped before its first word, so that two messages do not read as one. */
const NO_ANSWER = '(stopped)';

/**
 * A turn as a provider reads it. Steps that the same provider made replay as calls with their results, always in pairs,
 * also after a kill between the two (SPEC 8.5); what another one did is told in words (SPEC 5.7).
 * @param reader `provider/model` of who reads; undefined: nobody's own.
 */
export function turnContent(turn: TurnEvents, reader: string | undefined): TranscriptMessage[] {
  const steps = turn.steps.flatMap((step) => {
    const results = step.data.calls.map((call) => resultOf(turn, step.data.n, call));
    return isOwn(step, reader)
      ? replayed(step, results, reader, turn.sameMemory)
      : [{ role: 'assistant' as const, text: told(step, results) }];
  });
  const last = lastWords(turn);
  const { ended, sameMemory } = turn;
  const session = sameMemory && isOf(ended?.data.model, reader) ? ended?.data.session : undefined;
  const kept = session === undefined ? {} : { session };
  return [...steps, ...(last === undefined ? [] : [{ role: 'assistant' as const, text: last, ...kept }])];
}

/** What the turn ended with, without what its steps said. */
function lastWords({ ended, steps }: TurnEvents): string | undefined {
  if (!ended) return undefined;
  const words = ended.data.text.slice(ended.data.lastStepAt ?? 0).trim();
  return words === '' && steps.length > 0 ? undefined : words || NO_ANSWER;
}

const providerOf = (model: string | undefined) => model?.slice(0, model.indexOf('/'));

function isOf(model: string | undefined, reader: string | undefined): boolean {
  return model !== undefined && providerOf(model) === providerOf(reader);
}

function isOwn({ data }: EventOf<'step'>, reader: string | undefined): boolean {
  return data.calls.length > 0 && isOf(data.model, reader);
}

/** Another model of the same provider reads the calls, but not what only the one that made them understands. */
function replayed(
  { data }: EventOf<'step'>,
  results: ToolResult[],
  reader: string | undefined,
  sameMemory: boolean,
): TranscriptMessage[] {
  const { text, calls, own, session, model } = data;
  const mine = model === reader;
  const kept = {
    ...(mine && own !== undefined ? { own } : {}),
    ...(sameMemory && session !== undefined ? { session } : {}),
  };
  return [
    { role: 'assistant', text, calls, ...kept },
    { role: 'tool', results },
  ];
}

/** Longest input and output of a call in words, UTF-16 units. */
const TOLD_CHARS = 2_000;

function told({ data }: EventOf<'step'>, results: readonly ToolResult[]): string {
  const lines = data.calls.map(({ name, input }, n) => {
    if (name === EXIT_PLAN_MODE) return `[I proposed this plan:\n${cut(planOf(input))}\n${results[n]?.output ?? ''}]`;
    const gave = fenced('quote', cut(results[n]?.output ?? ''));
    return `[I used the tool ${cut(name)} with ${cut(JSON.stringify(input) ?? '')}. It gave:\n${gave}]`;
  });
  return [data.text.trim(), ...lines].filter(Boolean).join('\n\n');
}

function cut(text: string): string {
  return text.length > TOLD_CHARS ? `${text.slice(0, TOLD_CHARS).toWellFormed()}…` : text;
}

/** The plan in a call of `exit_plan_mode`; empty if it holds none. */
export function planOf(input: unknown): string {
  const plan = typeof input === 'object' && input !== null && 'plan' in input ? input.plan : undefined;
  return typeof plan === 'string' ? plan.trim() : '';
}

const NOT_RUN = 'It was not run.';
/** A tool that changes something is never run twice: nobody knows whether it has run (DESIGN 3a). */
export const OUTCOME_UNKNOWN =
  'This was interrupted. It is not known whether it took effect: look before you do it again, or ask the person.';

/** What a call came to: its result, or what is known where there is none. */
function resultOf({ results, started, answered }: TurnEvents, n: number, { id, name }: ToolCall): ToolResult {
  const found = results.get(n)?.find((result) => result.id === id);
  if (found) return found;
  if (name === EXIT_PLAN_MODE) return { id, name, output: answered ? planAnswer(answered.data) : PLAN_LEFT };
  return { id, name, output: started.get(n)?.includes(id) ? OUTCOME_UNKNOWN : NOT_RUN, error: true };
}
