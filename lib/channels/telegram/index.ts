import type { ChatApp } from '../../ports/chatApp.ts';
import { check } from './check.ts';
import { claimLink, identify, register, unregister } from './connect.ts';
import { limits } from './limits.ts';
import { publishMenu } from './menu.ts';
import { clearOldMenus } from './oldMenus.ts';
import { read } from './read.ts';
import { render } from './render.ts';
import { privateChat, sender } from './send.ts';
import { fields } from './settings.ts';
import { verify } from './verify.ts';

/** Telegram, by its Bot API. */
export const telegram: ChatApp = {
  name: 'telegram',
  limits,
  verify,
  read,
  render,
  sender,
  privateChat,
  fields,
  identify,
  register,
  unregister,
  publishMenu,
  clearOldMenus,
  claimLink,
  check,
};
