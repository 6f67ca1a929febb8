import type { Channel, ChatApp, IncomingPress, OutgoingFile, Piece, Sender, SendResult } from '../../ports/chatApp.ts';
import { cutText } from '../shared/graphemes.ts';
import { asObject } from '../shared/json.ts';
import type { TelegramAddress } from './address.ts';
import { type ApiOutcome, callApi, failedSend, isBlocked } from './api.ts';
import { PRESS_ANSWER_LIMIT_CHARS } from './limits.ts';

/** For calls whose loss does no harm. */
const SMALL_CALL_TIMEOUT_MS = 5_000;
const MAX_TRIES = 4;

type Params = Record<string, unknown>;

/** A private chat has its person's id. */
export const privateChat: ChatApp['privateChat'] = (person) => ({ chat: person });

/** A file has no words that could be refused. */
const NO_PIECE: Piece = { body: {}, plain: {} };

/** Sends as the channel's bot. A second try in here only follows a refusal, so that nothing is sent twice. */
export function sender(channel: Channel): Sender {
  const call = (method: string, params: Params, timeoutMs = SMALL_CALL_TIMEOUT_MS) =>
    callApi(channel, method, params, AbortSignal.timeout(timeoutMs));
  return {
    post: (to, piece, { timeoutMs }) => deliver(channel, 'sendMessage', postParams(to, piece), piece, timeoutMs),
    file: (to, file, { timeoutMs }) => {
      const params = { ...chatParams(to), ...threadParams(to), ...replyParams(to) };
      return deliver(channel, 'sendDocument', params, NO_PIECE, timeoutMs, { field: 'document', file });
    },
    edit: async (to, id, piece, { timeoutMs }) => {
      const { method, params } = editCall(to, id, piece);
      const result = await deliver(channel, method, params, piece, timeoutMs);
      return result.kind === 'sent' ? { kind: 'sent', id } : result;
    },
    typing: async (to) => {
      await call('sendChatAction', { ...chatParams(to), ...threadParams(to), action: 'typing' });
    },
    answerPress: async (press, text) => {
      const params = { callback_query_id: press.pressId };
      await call('answerCallbackQuery', text ? { ...params, text: cutText(text, PRESS_ANSWER_LIMIT_CHARS) } : params);
    },
    removeChoices: async (press) => {
      const target = editTarget(press.to, pressedMessage(press) ?? '');
      await call(`edit${target.isEphemeral ? 'Ephemeral' : ''}MessageReplyMarkup`, target.params);
    },
    pressedMessage,
  };
}

/**
 * Posts or edits. After a refusal that names its cause it tries again without that: plain, public, without the replied
 * message, in the group's new supergroup. Never in another chat or topic (SPEC 13.7).
 */
async function deliver(
  channel: Channel,
  method: string,
  params: Params,
  piece: Piece,
  timeoutMs: number,
  file?: { field: string; file: OutgoingFile },
): Promise<SendResult> {
  const signal = AbortSignal.timeout(timeoutMs);
  let tried = params;
  for (let tries = 1; ; tries++) {
    const outcome = await callApi(channel, method, tried, signal, file);
    if (outcome.kind === 'ok') return { kind: 'sent', id: sentId(outcome.result, tried) };
    if (isNotModified(outcome)) return { kind: 'sent', id: '' };
    if (isMissing(outcome)) return { kind: 'missing', reason: 'the message is not there any more' };
    const next = tries < MAX_TRIES ? mended(tried, outcome, piece) : undefined;
    if (!next) return failedSend(outcome);
    tried = next;
  }
}

function isNotModified(outcome: ApiOutcome): boolean {
  return outcome.kind === 'refused' && outcome.code === 400 && /message is not modified/i.test(outcome.description);
}

function isMissing(outcome: ApiOutcome): boolean {
  if (outcome.kind !== 'refused' || outcome.code !== 400) return false;
  return /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i.test(outcome.description);
}

/** The call to make after this refusal; undefined if there is none that may help. */
function mended(params: Params, outcome: ApiOutcome, piece: Piece): Params | undefined {
  if (outcome.kind !== 'refused') return undefined;
  const { code, description, migrateTo } = outcome;
  if (migrateTo !== undefined) return { ...without(params, 'reply_parameters'), chat_id: Number(migrateTo) };
  if (code !== 400 && code !== 403) return undefined;
  if (isBlocked(outcome)) return undefined;
  // Only for one person did not work out: the reply goes to the same place for all to read.
  if ('ephemeral_message_parameters' in params) return asPublic(params);
  if (code === 400 && /replied/i.test(description) && 'reply_parameters' in params) {
    return without(params, 'reply_parameters');
  }
  if (code === 400 && 'entities' in params && /entit|text|url/i.test(description)) {
    return { ...without(params, 'entities'), ...piece.plain };
  }
  return undefined;
}

function without(params: Params, key: string): Params {
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== key));
}

/** The same message for everybody in the chat; a reply to an ephemeral message would have to be ephemeral too. */
function asPublic(params: Params): Params {
  const isToEphemeral = 'ephemeral_message_id' in asObject(params.reply_parameters);
  const open = without(params, 'ephemeral_message_parameters');
  return isToEphemeral ? without(open, 'reply_parameters') : open;
}

function chatParams(to: TelegramAddress): Params {
  return { chat_id: Number(to.chat) };
}

function threadParams(to: TelegramAddress): Params {
  return to.thread === undefined ? {} : { message_thread_id: Number(to.thread) };
}

/** In a group the message replies to the one that it answers; in a private chat that is plain to see. */
function replyParams(to: TelegramAddress): Params {
  if (!to.group) return {};
  const { ephemeral } = to;
  if (ephemeral !== undefined) return { reply_parameters: { ephemeral_message_id: Number(ephemeral) } };
  if (to.message === undefined) return {};
  return { reply_parameters: { message_id: Number(to.message), allow_sending_without_reply: true } };
}

function postParams(to: TelegramAddress, piece: Piece): Params {
  const params = { ...chatParams(to), ...threadParams(to), ...replyParams(to), ...piece.body };
  const forOne = asObject(params.ephemeral_message_parameters);
  const { press } = to;
  // Without admin rights it has to answer a press or a command that was sent the same way.
  const isAllowed = to.group && (press !== undefined || to.ephemeral !== undefined);
  if (!isAllowed || forOne.receiver_user_id === undefined) return asPublic(params);
  const answers = press !== undefined ? { callback_query_id: press } : {};
  const target = press !== undefined ? without(params, 'reply_parameters') : params;
  return { ...target, ephemeral_message_parameters: { ...forOne, ...answers } };
}

function editCall(to: TelegramAddress, id: string, piece: Piece): { method: string; params: Params } {
  const { isEphemeral, params } = editTarget(to, id);
  return {
    method: isEphemeral ? 'editEphemeralMessageText' : 'editMessageText',
    params: { ...params, ...without(piece.body, 'ephemeral_message_parameters') },
  };
}

/** An ephemeral message is known by its receiver and its own id: `e<receiver>.<id>`. */
function ephemeralId(receiver: unknown, id: unknown): string {
  return `e${receiver}.${id}`;
}

function editTarget(to: TelegramAddress, id: string): { isEphemeral: boolean; params: Params } {
  const [, receiver, ephemeral] = /^e(\d+)\.(\d+)$/.exec(id) ?? [];
  if (receiver === undefined || ephemeral === undefined) {
    return { isEphemeral: false, params: { ...chatParams(to), message_id: Number(id) } };
  }
  const params = { receiver_user_id: Number(receiver), ephemeral_message_id: Number(ephemeral) };
  return { isEphemeral: true, params: { ...chatParams(to), ...params } };
}

function sentId(result: unknown, params: Params): string {
  const { message_id: id, ephemeral_message_id: ephemeral } = asObject(result);
  const { receiver_user_id: receiver } = asObject(params.ephemeral_message_parameters);
  return ephemeral !== undefined && receiver !== undefined ? ephemeralId(receiver, ephemeral) : String(id ?? '');
}

function pressedMessage(press: IncomingPress): string | undefined {
  const { ephemeral }: TelegramAddress = press.to;
  return ephemeral === undefined ? press.to.message : ephemeralId(press.person.id, ephemeral);
}
