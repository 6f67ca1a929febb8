import type { ChatApp } from '../ports/chatApp.ts';
import type { AppName } from '../ports/tenants.ts';
import type { TextReplies } from '../ports/textReplies.ts';
import { discord } from './discord/index.ts';
import { slack } from './slack/index.ts';
import { teams } from './teams/index.ts';
import { telegram } from './telegram/index.ts';
import { createText } from './text/index.ts';

/** Every chat app by its name, for what serves them all. A webhook takes its own app's module alone. */
export function chatApps(replies: TextReplies): Record<AppName, ChatApp> {
  return { telegram, discord, slack, teams, text: createText(replies) };
}
