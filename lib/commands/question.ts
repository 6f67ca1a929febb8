import { decideOptions, ran } from '../domain/decide.ts';
import { type EventData, eventOf, type UnknownEvent } from '../domain/events.ts';
import { decideAnswer } from '../domain/questions.ts';
import type { State } from '../domain/state.ts';
import type { ActionChoice, ActionTarget } from '../ports/actions.ts';
import type { CommandContext, Handler, Reply, ReplyContext } from './command.ts';
import { outcomeOf } from './command.ts';
import { modeWords } from './settingWords.ts';
import { count, escapeMarkdown, grantWords, withAsk } from './words.ts';

export type AnswerTarget = Extract<ActionTarget, { kind: 'answer' }>;
type Asked = EventData<'question.asked'>;

/** What the person reads of a question: what was said before it, then the plan, or what waits for approval (SPEC 7.2, 7.5). */
export function questionText({ text, plan, calls = [] }: Asked): string {
  const asked = plan ?? approval(calls);
  return [text?.trim(), asked].filter(Boolean).join('\n\n');
}

function approval(calls: NonNullable<Asked['calls']>): string {
  const [only, ...more] = calls;
  if (only && more.length === 0) return `May I use **${escapeMarkdown(only.title)}**?\n\n${fenced(only.input)}`;
  const list = calls.map(({ title, input }) => `**${escapeMarkdown(title)}**\n\n${fenced(input)}`);
  return [`May I use these ${count(calls.length, 'tool')}?`, ...list].join('\n\n');
}

/** In a fence that is longer than any in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}

/** The choices under a question (SPEC 7.2, 7.5). */
export function questionChoices({ question, kind, calls = [] }: Asked): ActionChoice[] {
  const choice = (label: string, answer: AnswerTarget['answer'], more: Partial<ActionChoice> = {}): ActionChoice => ({
    label,
    target: {
      kind: 'answer',
      question,
      answer,
      ...(answer === 'allow-chat' ? { grants: [...new Set(calls.map(({ grant }) => grant))] } : {}),
    },
    ...more,
  });
  if (kind === 'ExitPlanMode') {
    return [choice('Start', 'start', { answers: 'yes' }), choice('Keep planning', 'keep', { answers: 'no' })];
  }
  return [
    choice('Allow once', 'allow', { answers: 'yes' }),
    choice('Allow in this chat', 'allow-chat'),
    choice('Deny', 'deny', { answers: 'no' }),
    choice('Plan first', 'plan-first'),
  ];
}

/**
 * The answer to a question, as a decision. Plan first turns plan mode on and sends the message again, which closes the
 * question (SPEC 7.5).
 */
export function pickedAnswer(state: State, { base, tenant, lastMessage }: CommandContext, target: AnswerTarget) {
  const { question, answer, grants } = target;
  if (answer !== 'plan-first') {
    return decideAnswer(state, base, { question, answer, ...(grants ? { grants } : {}) }, tenant.defaults);
  }
  if (state.question?.id !== question || lastMessage?.seq !== state.question.turn.answers) return ran(base, 'gone');
  return decideOptions(state, base, { mode: 'plan' }, tenant.defaults, lastMessage.content);
}

/** What answering a question shows; the turn goes on by itself. */
export const question: Handler = {
  before: ['lastMessage'],
  decide: (_state, { base }) => ran(base, 'gone'),
  reply(context): Reply {
    const { event } = context;
    if (outcomeOf(event) === 'gone') return { markdown: GONE, refusal: true };
    if (event.type === 'options') return { markdown: 'Plan mode is on. I plan first, and change nothing.' };
    return { markdown: event.type === 'question.answered' ? answeredWords(context, event.data) : GONE };
  },
};

const GONE = 'That question is closed, so nothing was started.';

function answeredWords(
  { chat, asker, slash }: ReplyContext,
  { answer, grants = [] }: EventData<'question.answered'>,
): string {
  switch (answer) {
    case 'start':
      return `Started. Mode: ${modeWords(chat)}`;
    case 'keep':
      return `Still planning. Tell me${withAsk(asker, slash)} what to change.`;
    case 'allow':
      return 'Allowed this time.';
    case 'allow-chat':
      return `Allowed in this chat from now on: ${grants.map(grantWords).join(', ')}.`;
    case 'deny':
      return 'Not allowed. I go on without it.';
  }
}

/** The question in this event, if it is one. */
export function askedIn(event: UnknownEvent): Asked | undefined {
  return eventOf(event, 'question.asked')?.data;
}
