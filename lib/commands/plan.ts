import { decideOptions, ran } from '../domain/decide.ts';
import { leaving } from '../domain/questions.ts';
import { modeInForce } from '../domain/settings.ts';
import type { State } from '../domain/state.ts';
import { parsePlanArg } from './arguments.ts';
import type { CommandContext, Handler, ReplyContext } from './command.ts';
import { messageOf, outcomeOf } from './command.ts';
import { APPROVAL_CLOSED, closesApproval, fromNextAnswer, modeWords } from './settingWords.ts';

/** `/plan`, `/plan on|off`, `/plan MESSAGE` (SPEC 7.3, 7.6). */
export const plan: Handler = {
  decide(state, context) {
    const { base, args, tenant } = context;
    const isOn = modeInForce(state.options, tenant.defaults) === 'plan';
    const wanted = parsePlanArg(args);
    if (wanted === undefined)
      return decideOptions(state, base, { mode: 'plan' }, tenant.defaults, messageOf(args, context));
    return turn(state, context, wanted === 'toggle' ? !isOn : wanted, isOn);
  },
  reply(context) {
    const { event } = context;
    if (event.type === 'options') return { markdown: event.data.options.mode === 'plan' ? on(context) : off(context) };
    const isOn = outcomeOf(event) === 'on';
    return { markdown: `Plan mode is ${isOn ? 'on' : 'off'} already.` };
  },
};

/** Turns plan mode on or off. Outcomes of what changes nothing: `on`, `off`. */
function turn(state: State, { base, tenant }: CommandContext, wanted: boolean, isOn: boolean) {
  if (wanted === isOn) return ran(base, isOn ? 'on' : 'off');
  const { defaults } = tenant;
  return decideOptions(state, base, wanted ? { mode: 'plan' } : leaving(state, defaults).options, defaults);
}

function on(context: ReplyContext): string {
  return `Plan mode is on: I plan, and change nothing. ${context.slash('plan', 'off')} ends it.${closed(context)}${after(context)}`;
}

function closed({ event }: ReplyContext): string {
  return closesApproval(event) ? ` ${APPROVAL_CLOSED}` : '';
}

function after({ state }: ReplyContext): string {
  return fromNextAnswer(state)
    .map((sentence) => ` ${sentence}`)
    .join('');
}

function off(context: ReplyContext): string {
  return `Plan mode is off. Mode: ${modeWords(context.chat)}${after(context)}`;
}
