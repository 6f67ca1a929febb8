import { type EngineRequest, type TranscriptMessage, wordsOf } from '../ports/engine.ts';

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
export const KEEPS_PLANNING = 'I keep planning. Tell me what to change.';

/** What is still asked after a step that calls tools, or that waits for what to change, was asked before it. */
export function readRequest({ messages, system }: EngineRequest): Asked {
  const lastAnswer = messages.findLastIndex(isAnswer);
  const saidIn = (from: number, to?: number) =>
    messages
      .slice(from, to)
      .filter(({ role }) => role === 'user')
      .map(wordsOf);
  const said = saidIn(lastAnswer + 1);
  const text = said.join('\n\n');
  const used = messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ name }) => name) : []));
  const question = text.slice(0, QUESTION_CHARACTERS);
  return { said, text, question, earlier: saidIn(0, lastAnswer + 1), system, used: [...new Set(used)] };
}

function isAnswer(message: TranscriptMessage): boolean {
  return message.role === 'assistant' && (message.calls ?? []).length === 0 && message.text !== KEEPS_PLANNING;
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
