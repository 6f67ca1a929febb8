import type { ChatApp } from '../../ports/chatApp.ts';
import type { TextReplies } from '../../ports/textReplies.ts';
import { check } from './check.ts';
import { claimLink, identify, register, unregister } from './connect.ts';
import { limits } from './limits.ts';
import { publishMenu } from './menu.ts';
import { read } from './read.ts';
import { render } from './render.ts';
import { privateChat, senderOver } from './send.ts';
import { fields } from './settings.ts';
import { verify } from './verify.ts';

/** The text app: signed JSON both ways, without buttons. @param replies keeps what its clients fetch. */
export function createText(replies: TextReplies): ChatApp {
  return {
    name: 'text',
    limits,
    verify,
    read,
    render,
    sender: (channel) => senderOver(replies, channel),
    privateChat,
    fields,
    identify,
    register,
    unregister,
    publishMenu,
    claimLink,
    check,
  };
}
