import { EXIT_PLAN_MODE } from '../domain/toolCalls.ts';
import type { EngineRequest, TranscriptMessage } from '../ports/engine.ts';

/** What the demo engine looks at. */
export interface Asked {
  /** The person's messages since the last answer. */
  said: string[];
  /** The same as one text. */
  text: string;
  /** The beginning of it, in which a question is looked for: bounded, so that a huge message costs nothing. */
  question: string;
  /** What the person said before that, as far as it is in memory. */
  earlier: string[];
  system: string;
  /** Names of the tools that were used in memory. */
  used: string[];
}

const QUESTION_CHARACTERS = 500;

/** What the demo engine says after Keep planning. */
export const KEEPS_PLANNING = 'I keep planning. What should I change?';

/** What is asked: all that was said since the last answer. A summary is of what was said before. */
export function readRequest({ messages, system, mayAskToStart }: EngineRequest): Asked {
  const goesOn = mayAskToStart === true || messages.at(-1)?.role === 'tool';
  const lastAnswer = messages.findLastIndex((message) => isAnswer(message, goesOn));
  const earlier: string[] = [];
  const said: string[] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'user') continue;
    const { summed, words } = withoutSummary(message.text);
    earlier.push(...summed);
    if (words !== '' || summed.length === 0) (at > lastAnswer ? said : earlier).push(words);
  }
  const text = said.join('\n\n');
  const used = messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ name }) => name) : []));
  const question = text.slice(0, QUESTION_CHARACTERS);
  return { said, text, question, earlier, system, used: [...new Set(used)] };
}

const SUMMARY = /^A summary of the conversation so far:\n\n<summary>\n([\s\S]*?)\n<\/summary>/;
/** A message that begins with a summary of the memory, apart: what that holds, and the person's own words. */
export function withoutSummary(text: string): { summed: string[]; words: string } {
  const summary = SUMMARY.exec(text);
  if (!summary) return { summed: [], words: text };
  const [whole, held = ''] = summary;
  const items = listIn(held);
  return { summed: items.length > 0 ? items : [held], words: text.slice(whole.length).trim() };
}

/** The items of a list in Markdown. */
export function listIn(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}

/**
 * A step that calls tools is no answer yet, nor is waiting for what to change of a plan; a plan that was left is one.
 * @param goesOn the turn goes on, or planning does.
 */
function isAnswer(message: TranscriptMessage, goesOn: boolean): boolean {
  if (message.role !== 'assistant') return false;
  const { calls = [], text } = message;
  if (calls.length > 0) return !goesOn && calls.some(({ name }) => name === EXIT_PLAN_MODE);
  return text !== KEEPS_PLANNING || !goesOn;
}

const SHORT_CHARACTERS = 120;

/** The text on one line, at most 120 characters. */
export function shortened(text: string): string {
  const characters = [...text.replace(/\s+/gu, ' ').trim()];
  return characters.length <= SHORT_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, SHORT_CHARACTERS).join('')}…`;
}

/** The text as a quotation in Markdown. */
export function quoted(text: string): string {
  return text.replace(/^/gmu, '> ');
}
