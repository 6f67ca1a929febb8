import { ran } from '../domain/decide.ts';
import type { State } from '../domain/state.ts';
import type { MenuView } from '../ports/actions.ts';
import { parseModelArg } from './arguments.ts';
import { decideChange, unread } from './change.ts';
import type { Handler } from './command.ts';
import { settingReply } from './settingReply.ts';

const VIEW: MenuView = { menu: 'models', scope: 'chat' };

/** The state in which this model is set; null: the default. */
function withModel(state: State, model: string | null): State {
  const { model: _before, ...options } = state.options;
  return { ...state, options: model === null ? options : { ...options, model } };
}

/** `/model`, `/model NAME`, `/model NAME --fast` (SPEC 4.2). */
export const model: Handler = {
  decide(state, context) {
    const { base, args, tenant, chatIn } = context;
    const argument = parseModelArg(args, tenant.models);
    switch (argument.kind) {
      case 'show':
        return ran(base, 'shown', { view: VIEW });
      case 'provider':
        return ran(base, 'shown', { view: { ...VIEW, provider: argument.provider } });
      case 'set': {
        const { model, fast } = argument;
        const isThere = fast && chatIn(withModel(state, model)).fastService;
        const change = { model, ...(isThere ? { fast } : {}) };
        return decideChange(state, { change, view: VIEW, ...(fast && !isThere ? { noFast: true } : {}) }, context);
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
