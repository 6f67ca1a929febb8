import type { ChatApp } from '../../ports/chatApp.ts';
import { apology } from './apology.ts';
import { check } from './check.ts';
import { claimLink, identify, register, unregister } from './connect.ts';
import { limits } from './limits.ts';
import { publishMenu } from './menu.ts';
import { read } from './read.ts';
import { render } from './render.ts';
import { responder } from './respond.ts';
import { privateChat, sender } from './send.ts';
import { fields } from './settings.ts';
import { verify } from './verify.ts';

/** Discord, by interactions over HTTP: commands, buttons and forms; what people write to each other never arrives. */
export const discord: ChatApp = {
  name: 'discord',
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
  apology,
  claimLink,
  check,
};
