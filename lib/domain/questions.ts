import { type Base, ran } from './decide.ts';
import type { ChatOptions, DraftOf } from './events.ts';
import { modeBeforePlan, modeInForce } from './settings.ts';
import type { State } from './state.ts';
import type { Answer, QuestionKind } from './toolCalls.ts';

const ANSWERS: Record<QuestionKind, readonly Answer[]> = {
  ExitPlanMode: ['start', 'keep'],
  ToolApproval: ['allow', 'allow-chat', 'deny'],
};

/**
 * The answer to an open question (SPEC 7.2, 7.3, 7.5). Outcome: `gone`, if it is not open any more: then nothing starts.
 * @param grants what Allow in this chat allows.
 * @param defaults the tenant's settings for new chats.
 */
export function decideAnswer(
  state: State,
  base: Base,
  given: { question: string; answer: Answer; grants?: readonly string[] },
  defaults: ChatOptions,
): DraftOf<'question.answered'> | DraftOf<'command.ran'> {
  const { question } = state;
  if (question?.id !== given.question || !ANSWERS[question.kind].includes(given.answer)) return ran(base, 'gone');
  const { id: turn, memory } = question.turn;
  const answered = { ...base, question: question.id, answer: given.answer, turn, memory: memory.id };
  if (given.answer === 'start')
    return { type: 'question.answered', data: { ...answered, ...leaving(state, defaults) } };
  if (given.answer !== 'allow-chat') return { type: 'question.answered', data: answered };
  return { type: 'question.answered', data: { ...answered, grants: [...(given.grants ?? [])] } };
}

/**
 * Out of plan mode: the change of the chat's settings, and the mode that it comes to (SPEC 7.3). A chat that has left it
 * meanwhile keeps the mode that it has.
 */
export function leaving(state: State, defaults: ChatOptions) {
  const inForce = modeInForce(state.options, defaults);
  if (inForce !== 'plan') return { options: {}, mode: inForce };
  const follows = state.modeBeforePlan === undefined && defaults.mode !== 'plan';
  const mode = modeBeforePlan(state, defaults);
  return { options: { mode: follows ? null : mode }, mode };
}
