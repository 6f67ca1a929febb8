import { ran } from '../domain/decide.ts';
import type { MenuView } from '../ports/actions.ts';
import { mayBeEfforts, parseEffortArg, plainValue } from './arguments.ts';
import { decideChange, unread } from './change.ts';
import type { Handler } from './command.ts';
import { settingReply } from './settingReply.ts';

const VIEW: MenuView = { menu: 'effort', scope: 'chat' };

/** `/effort`, `/effort LEVEL` (SPEC 4.2, 4.7). */
export const effort: Handler = {
  decide(state, context) {
    const { base, args, chatIn } = context;
    const typed = plainValue(args);
    if (!typed) return ran(base, 'shown', { view: VIEW });
    const argument = parseEffortArg(typed, chatIn(state).efforts);
    if (!argument) return unread(base, typed, VIEW, mayBeEfforts(typed));
    const change = { effort: argument.effort };
    const asked = argument.effort !== null && argument.asked !== argument.effort ? { asked: argument.asked } : {};
    return decideChange(state, { change, view: VIEW, ...asked }, context);
  },
  reply: settingReply,
};
