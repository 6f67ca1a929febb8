import { ran } from '../domain/decide.ts';
import type { MenuView } from '../ports/actions.ts';
import type { Handler } from './command.ts';
import { settingReply } from './settingReply.ts';

const VIEW: MenuView = { menu: 'settings', scope: 'chat' };

/** `/settings`: all settings, of this chat or as defaults for new chats (SPEC 4.2, 11.5). */
export const settings: Handler = {
  decide: (_state, { base }) => ran(base, 'shown', { view: VIEW }),
  reply: settingReply,
};
