import { ran } from '../domain/decide.ts';
import type { MenuView } from '../ports/actions.ts';
import { parseSwitch, plainValue } from './arguments.ts';
import { decideChange, unread } from './change.ts';
import type { Handler } from './command.ts';
import { settingReply } from './settingReply.ts';

const VIEW: MenuView = { menu: 'fast', scope: 'chat' };

/** `/fast`, which toggles, and `/fast on|off` (SPEC 4.2, 4.7). */
export const fast: Handler = {
  decide(state, context) {
    const { base, args, chatIn } = context;
    const wanted = parseSwitch(args);
    if (wanted === undefined) return unread(base, plainValue(args), VIEW);
    const chat = chatIn(state);
    const on = wanted === 'toggle' ? !chat.fast : wanted;
    if (on && !chat.fastService) return ran(base, 'no-fast');
    return decideChange(state, { change: { fast: on }, view: VIEW }, context);
  },
  reply: settingReply,
};
