import type { Channel } from '../../ports/chatApp.ts';
import { callApi } from './api.ts';

/** Those that Telegram's apps are offered in, and the other ones of many people; a list may be for any language. */
const LANGUAGES =
  'af am ar az be bg bn bs ca cs da de el en eo es et eu fa fi fr gl gu he hi hr hu hy id it ja ka kk km kn ko ky lt lv mk ml mn mr ms my ne nl no nb pa pl ps pt ro ru si sk sl so sq sr sv sw ta te tg th tk tl tr uk ur uz vi yi zh'.split(
    ' ',
  );
/** The scopes that a menu of ours stands in. */
export const SCOPES = ['all_private_chats', 'all_group_chats', 'all_chat_administrators'] as const;

/** All that is asked takes some seconds then, and is no burst. */
const CALLS_AT_ONCE = 6;
const LOOKING_MS = 8_000;
const CLEARING_MS = 4_000;

/** A list for people of one language, which Telegram shows them in place of the one for all. */
export interface OldMenu {
  scope: (typeof SCOPES)[number];
  language: string;
}

/**
 * The lists in a language that stand in our scopes: Conch sets none, so an earlier use of the bot left them, and they hide
 * ours (SPEC 12.1, case D 68). Those of `default` hide nothing of a narrower scope; those of single chats nobody can list.
 * Where Telegram does not tell, those that were found by then.
 */
export async function oldMenus(channel: Channel): Promise<OldMenu[]> {
  const signal = AbortSignal.timeout(LOOKING_MS);
  const all = LANGUAGES.flatMap((language) => SCOPES.map((scope) => ({ scope, language })));
  const found: OldMenu[] = [];
  let isTelling = true;
  const look = async (): Promise<void> => {
    for (let one = all.pop(); one && isTelling; one = all.pop()) {
      const outcome = await callApi(channel, 'getMyCommands', paramsOf(one), signal);
      if (outcome.kind !== 'ok') isTelling = false;
      else if (Array.isArray(outcome.result) && outcome.result.length > 0) found.push(one);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, look));
  return found;
}

/** Takes such lists away, once ours stand: whoever saw one sees ours from then on. What fails is found by `conch doctor`. */
export async function clearOldMenus(channel: Channel): Promise<void> {
  const found = await oldMenus(channel);
  const signal = AbortSignal.timeout(CLEARING_MS);
  for (const one of found) await callApi(channel, 'deleteMyCommands', paramsOf(one), signal);
}

function paramsOf({ scope, language }: OldMenu): Record<string, unknown> {
  return { scope: { type: scope }, language_code: language };
}
