import { ran } from '../domain/decide.ts';
import type { MenuView } from '../ports/actions.ts';
import { parseModelArg } from './arguments.ts';
import { decideChange, unread } from './change.ts';
import type { Handler } from './command.ts';
import { settingReply } from './settingReply.ts';

const VIEW: MenuView = { menu: 'models', scope: 'chat' };

/** `/model`, `/model NAME` (SPEC 4.2). */
export const model: Handler = {
  decide(state, context) {
    const { base, args, tenant } = context;
    const argument = parseModelArg(args, tenant.models);
    switch (argument.kind) {
      case 'show':
        return ran(base, 'shown', { view: VIEW });
      case 'provider':
        return ran(base, 'shown', { view: { ...VIEW, provider: argument.provider } });
      case 'set': {
        const change = { model: argument.model, ...(argument.fast ? { fast: true } : {}) };
        return decideChange(state, { change, view: VIEW }, context);
      }
      case 'unread': {
        const { typed, match } = argument;
        const view = match === undefined ? VIEW : { ...VIEW, match };
        return unread(base, typed, view);
      }
    }
  },
  reply: settingReply,
};
