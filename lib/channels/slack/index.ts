import type { ChatApp } from '../../ports/chatApp.ts';
import { apology } from './apology.ts';
import { check } from './check.ts';
import { claimLink, identify, register, unregister } from './connect.ts';
import { limits } from './limits.ts';
import { manifest } from './manifest.ts';
import { publishMenu } from './menu.ts';
import { read } from './read.ts';
import { render } from './render.ts';
import { privateChat, sender } from './send.ts';
import { fields } from './settings.ts';
import { verify } from './verify.ts';
import { workspaces } from './workspaces.ts';

/** Slack: events, one slash command and buttons in, the Web API out. */
export const slack: ChatApp = {
  name: 'slack',
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
  claimLink,
  check,
  manifest,
  apology,
  workspaces,
};
