import { ran } from '../domain/decide.ts';
import type { MenuView } from '../ports/actions.ts';
import { mayBeModes, parseModeArg, plainValue } from './arguments.ts';
import { decideChange, unread } from './change.ts';
import type { Handler } from './command.ts';
import { settingReply } from './settingReply.ts';

const VIEW: MenuView = { menu: 'mode', scope: 'chat' };

/** `/mode`, `/mode NAME` (SPEC 7.5). */
export const mode: Handler = {
  decide(state, context) {
    const { base, args } = context;
    const typed = plainValue(args);
    if (!typed) return ran(base, 'shown', { view: VIEW });
    const wanted = parseModeArg(typed);
    if (wanted === undefined) return unread(base, typed, VIEW, mayBeModes(typed));
    return decideChange(state, { change: { mode: wanted }, view: VIEW }, context);
  },
  reply: settingReply,
};
