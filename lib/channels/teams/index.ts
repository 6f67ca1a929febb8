import type { ChatApp } from '../../ports/chatApp.ts';
import { claimLink, identify, register, unregister } from './connect.ts';
import { limits } from './limits.ts';
import { manifest } from './manifest.ts';
import { publishMenu } from './menu.ts';
import { read } from './read.ts';
import { render } from './render.ts';
import { responder } from './respond.ts';
import { privateChat, sender } from './send.ts';
import { fields } from './settings.ts';
import { verify } from './verify.ts';

/** Microsoft Teams, by Bot Framework's activities over HTTP. */
export const teams: ChatApp = {
  name: 'teams',
  limits,
  verify,
  read,
  render,
  sender,
  responder,
  privateChat,
  fields,
  identify,
  register,
  unregister,
  publishMenu,
  manifest,
  claimLink,
};
