import { randomUUID } from 'node:crypto';
import type { Address } from '../../domain/events.ts';
import type { Channel, ChatApp, OutgoingFile, Piece, Sender, SendOptions, SendResult } from '../../ports/chatApp.ts';
import type { TextReplies } from '../../ports/textReplies.ts';
import { type HttpOutcome, postText } from '../shared/http.ts';
import { render } from './render.ts';
import { signatureHeaders } from './verify.ts';

/** A client names its chats as it likes. */
export const privateChat: ChatApp['privateChat'] = () => undefined;

/** How long to wait after a refusal that names no time. */
const RETRY_MS = 1_000;

interface Reply {
  id: string;
  text: string;
  at: number;
}

/**
 * Keeps replies for the client to fetch and, if the channel has a `callbackUrl`, posts them there, signed. The reply's
 * id is the idempotency key, so that a repeated send is the same reply for the client.
 */
export function senderOver(replies: TextReplies, channel: Channel): Sender {
  const chatOf = (to: Address) => ({ tenant: channel.tenant, channelId: channel.id, chat: to.chat });
  const postOne: Sender['post'] = async (to, piece, options) => {
    const reply = { id: options.idempotencyKey ?? randomUUID(), text: textOf(piece), at: Date.now() };
    const stored = await attempt(() => replies.append(chatOf(to), reply));
    if (!stored) return storeFault(options);
    return callBack(channel, to, { id: stored.id, text: stored.text, at: stored.at }, options);
  };
  return {
    post: postOne,
    file: (to, file, options) => postFile(postOne, to, file, options),
    async edit(to, id, piece, options) {
      const text = textOf(piece);
      const isKnown = await attempt(() => replies.edit(chatOf(to), id, text));
      if (isKnown === undefined) return { kind: 'refused', retryAfterMs: RETRY_MS, reason: 'the store failed' };
      if (!isKnown) return { kind: 'missing', reason: 'the reply is not known any more' };
      return callBack(channel, to, { id, text, at: Date.now() }, options);
    },
    newestSent: (to) => replies.newest(chatOf(to)),
    typing: async () => {},
    answerPress: async () => {},
    removeChoices: async () => {},
    pressedMessage: () => undefined,
  };
}

/** The file's text, in as many replies as it takes, all in the time of one; the last one's result tells for all. */
async function postFile(
  post: Sender['post'],
  to: Address,
  { bytes }: OutgoingFile,
  options: SendOptions,
): Promise<SendResult> {
  const until = Date.now() + options.timeoutMs;
  let result: SendResult = { kind: 'dead', scope: 'message', reason: 'an empty file' };
  for (const [n, piece] of render({ markdown: new TextDecoder().decode(bytes) }).entries()) {
    const key = options.idempotencyKey === undefined ? {} : { idempotencyKey: `${options.idempotencyKey}:${n}` };
    result = await post(to, piece, { ...options, ...key, timeoutMs: Math.max(1, until - Date.now()) });
    if (result.kind !== 'sent') return result;
  }
  return result;
}

/** The store's answer; undefined if it failed. */
async function attempt<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch {
    return undefined;
  }
}

/** An append may have happened; with a key it may be repeated all the same. */
function storeFault({ idempotencyKey }: SendOptions): SendResult {
  const reason = 'the store failed';
  return idempotencyKey === undefined
    ? { kind: 'unknown', reason }
    : { kind: 'refused', retryAfterMs: RETRY_MS, reason };
}

function textOf(piece: Piece): string {
  return String(piece.body.text ?? '');
}

async function callBack(channel: Channel, to: Address, reply: Reply, options: SendOptions): Promise<SendResult> {
  const url = channel.settings.callbackUrl;
  const secret = channel.secrets.secret;
  if (!url || !secret) return { kind: 'sent', id: reply.id };
  const body = JSON.stringify({ id: reply.id, chat: to.chat, text: reply.text, at: reply.at });
  const signal = AbortSignal.timeout(options.timeoutMs);
  const outcome = await postText(url, body, signatureHeaders(secret, body, Date.now()), signal);
  return resultOf(outcome, reply.id);
}

/** Nothing else would be taken for this chat either: the callback does not let us in, or knows no such chat or address. */
const CHAT_GONE = new Set([401, 403, 404, 410]);

function resultOf(outcome: HttpOutcome, id: string): SendResult {
  if (outcome.kind === 'unknown') return outcome;
  if (outcome.kind === 'unreached') return { kind: 'refused', retryAfterMs: RETRY_MS, reason: outcome.reason };
  const { status, retryAfterMs = RETRY_MS } = outcome;
  if (status >= 200 && status < 300) return { kind: 'sent', id };
  const reason = `the callback answered ${status}`;
  if (status === 429) return { kind: 'refused', retryAfterMs, reason };
  if (status === 408 || status >= 500) return { kind: 'unknown', reason };
  return { kind: 'dead', scope: status < 400 || CHAT_GONE.has(status) ? 'chat' : 'message', reason };
}
