import { decideGoal, decideGoalClear, ran } from '../domain/decide.ts';
import { GOAL_LIMIT } from '../domain/limits.ts';
import { parseGoalArg } from './arguments.ts';
import type { Handler, Reply, ReplyContext } from './command.ts';
import { outcomeOf } from './command.ts';
import { number, quote } from './words.ts';

/** `/goal`, `/goal TEXT`, `/goal clear` (SPEC 6). */
export const goal: Handler = {
  decide(state, { base, args }) {
    const argument = parseGoalArg(args);
    if (argument.kind === 'set') return decideGoal(state, base, argument.goal);
    return argument.kind === 'clear' ? decideGoalClear(state, base) : ran(base, 'shown');
  },
  reply(context) {
    const { event } = context;
    if (event.type === 'goal')
      return event.data.goal === null ? { markdown: 'The goal is cleared.' } : goalSet(context);
    const outcome = outcomeOf(event);
    if (outcome === 'too-long') return { markdown: tooLong(event.data) };
    if (outcome === 'other') {
      return { markdown: 'The goal has changed since, so I left it as it is.', refusal: true };
    }
    return outcome === 'shown' ? goalShown(context) : { markdown: 'No goal is set.', refusal: true };
  },
};

function goalSet({ state, slash }: ReplyContext): Reply {
  const text = `Goal set:\n\n${quote(state.goal ?? '')}\n\nI keep it in mind in every answer, also after ${slash('clear')}; ${slash('new')} drops it.`;
  return { markdown: text, ...clearButton(state.goal) };
}

function goalShown({ state, slash }: ReplyContext): Reply {
  if (state.goal === undefined) {
    return {
      markdown: `No goal is set. To set one, write it after ${slash('goal')}: I keep it in mind in every answer.`,
    };
  }
  return { markdown: `The goal of this chat:\n\n${quote(state.goal)}`, ...clearButton(state.goal) };
}

function clearButton(text: string | undefined): Pick<Reply, 'choices'> {
  return text === undefined ? {} : { choices: [{ label: 'Clear goal', target: { kind: 'clear-goal', goal: text } }] };
}

function tooLong(data: object): string {
  const { length } = ('detail' in data ? data.detail : {}) as { length?: number };
  const size = length === undefined ? 'too long' : `${number(length)} characters long`;
  return `That goal is ${size}; it may have at most ${GOAL_LIMIT}. Nothing has changed.`;
}
