import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type {
  Channel,
  ChatApp,
  IncomingPress,
  OutgoingFile,
  Piece,
  Sender,
  SendOptions,
  SendResult,
} from '../../ports/chatApp.ts';
import { formTried } from '../shared/formTried.ts';
import { type DiscordAddress, EPHEMERAL, isFresh, tokenOf } from './address.ts';
import { NO_MENTIONS } from './answers.ts';
import { type ApiCall, type ApiOutcome, callApi, failedSend } from './api.ts';
import { NONCE_LIMIT_CHARS } from './limits.ts';
import { escaped } from './markdown.ts';

/** For calls whose loss does no harm. */
const SMALL_CALL_TIMEOUT_MS = 5_000;
/** How soon to look again for an answer that is under way. */
const UNDER_WAY_MS = 300;
const RELEASE_TRIES = 4;

/** The interaction is not known (any more), or its token does not serve. */
const TOKEN_OVER = new Set([10015, 10062, 50027]);
/** As many follow-ups as an application may send that is only one person's. */
const NO_MORE_FOLLOW_UPS = 40094;
const UNKNOWN_MESSAGE = 10008;
const INVALID_FORM = 50035;

type Body = Record<string, unknown>;

/** A message of ours by where it was sent: the interaction's own answer, a message behind it, one of the channel. */
type Kind = 'o' | 'f' | 'm';
const messageId = (kind: Kind, id: unknown) => `${kind}:${typeof id === 'string' ? id : ''}`;

/** A person's id leads to their private chat, which is opened when something is sent there. */
export const privateChat: ChatApp['privateChat'] = (person) => ({ chat: person });

/** What a call is made with. */
export interface Caller {
  channel: Channel;
  to: DiscordAddress;
  signal: AbortSignal;
}

/** Sends as the channel's bot. A second try in here only follows a refusal, so that nothing is sent twice. */
export function sender(channel: Channel): Sender {
  const caller = (to: DiscordAddress, timeoutMs = SMALL_CALL_TIMEOUT_MS): Caller => ({
    ...{ channel, to, signal: AbortSignal.timeout(timeoutMs) },
  });
  return {
    post: (to, piece, options) => post(caller(to, options.timeoutMs), piece, options),
    edit: (to, id, piece, { timeoutMs }) => edit(caller(to, timeoutMs), id, piece),
    file: (to, file, { timeoutMs }) => sendFile(caller(to, timeoutMs), file),
    typing: (to) => typing(caller(to)),
    answerPress: async ({ to }, text) => {
      if (text) await followUp(caller(to), { content: escaped(text), flags: EPHEMERAL, ...NO_MENTIONS });
    },
    release: (to, piece) => release(caller(to), piece),
    removeChoices: async (press) => {
      await patch(caller(press.to), pressedMessage(press) ?? '', { components: [] });
    },
    pressedMessage,
  };
}

/** The message with a press on it is what answers the press: its interaction's own answer. */
export function pressedMessage({ to }: IncomingPress): string | undefined {
  return to.message === undefined ? undefined : messageId('o', to.message);
}

/** Where its interaction still can be answered, there; else as a message of the bot (DESIGN 3a). */
async function post(caller: Caller, piece: Piece, options: SendOptions): Promise<SendResult> {
  const { to, channel } = caller;
  if (tokenOf(channel, to, Date.now()) !== undefined) {
    const answered = await answer(caller, piece, options);
    if (answered) return answered;
  }
  return postToChannel(caller, piece, options);
}

/** The result by the interaction's token; undefined if it does not serve, so that nothing was sent. */
async function answer(caller: Caller, piece: Piece, { first }: SendOptions): Promise<SendResult | undefined> {
  if (first && caller.to.deferred) {
    const outcome = await formTried(piece, (body) => patch(caller, messageId('o', ''), body), isFormRefused);
    if (outcome.kind === 'ok') return { kind: 'sent', id: messageId('o', outcome.result.id) };
    const isOver = isTokenOver(outcome);
    if (isOver && isFresh(caller.to, Date.now())) {
      return { kind: 'refused', retryAfterMs: UNDER_WAY_MS, reason: 'the answer that defers it is under way' };
    }
    if (!isOver && !isRefusedWith(outcome, UNKNOWN_MESSAGE)) return failedSend(outcome);
  }
  const outcome = await formTried(piece, (body) => followUp(caller, body), isFormRefused);
  if (outcome.kind === 'ok') return { kind: 'sent', id: messageId('f', outcome.result.id) };
  return isTokenOver(outcome) || isRefusedWith(outcome, NO_MORE_FOLLOW_UPS) ? undefined : failedSend(outcome);
}

/** A message of the bot. One for a single person has no form for that in a channel: it is not shown to the others instead. */
async function postToChannel(caller: Caller, piece: Piece, { idempotencyKey }: SendOptions): Promise<SendResult> {
  if (caller.to.group && isForOne(piece)) return { kind: 'dead', scope: 'message', reason: 'the interaction is over' };
  const id = await channelId(caller);
  if (typeof id !== 'string') return failedSend(id);
  const once = idempotencyKey === undefined ? {} : { nonce: nonceOf(idempotencyKey), enforce_nonce: true };
  const path = `/channels/${id}/messages`;
  const send = (body: Body) => call(caller, { method: 'POST', path, body: { ...asPublic(body), ...once } });
  const outcome = await formTried(piece, send, isFormRefused);
  return outcome.kind === 'ok' ? { kind: 'sent', id: messageId('m', outcome.result.id) } : failedSend(outcome);
}

/** The same message under the same key is sent once, for a few minutes. */
function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, NONCE_LIMIT_CHARS);
}

function isForOne({ body }: Piece): boolean {
  return (Number(body.flags ?? 0) & EPHEMERAL) !== 0;
}

/** The body of a channel's message or of an edit, which takes no flag for one person. */
function asPublic(body: Body): Body {
  return body.flags === undefined ? body : { ...body, flags: Number(body.flags) & ~EPHEMERAL };
}

/** The deferral may still be under way, since its message is known before it is answered. */
async function release(caller: Caller, piece: Piece): Promise<void> {
  for (let tries = 1; tries <= RELEASE_TRIES; tries++) {
    if (tokenOf(caller.channel, caller.to, Date.now()) === undefined) return;
    const outcome = await patch(caller, messageId('o', ''), piece.body);
    if (!isTokenOver(outcome) || !isFresh(caller.to, Date.now())) return;
    await setTimeout(UNDER_WAY_MS);
  }
}

async function edit(caller: Caller, id: string, piece: Piece): Promise<SendResult> {
  const outcome = await formTried(piece, (body) => patch(caller, id, body), isFormRefused);
  if (!isTokenOver(outcome)) return editResult(outcome, id);
  return editResult(await formTried(piece, (body) => patchInChannel(caller, id, body), isFormRefused), id);
}

function editResult(outcome: ApiOutcome, id: string): SendResult {
  if (outcome.kind === 'ok') return { kind: 'sent', id };
  const failed = failedSend(outcome);
  return isRefusedWith(outcome, UNKNOWN_MESSAGE) && failed.kind === 'dead'
    ? { kind: 'missing', reason: failed.reason }
    : failed;
}

/** Changes a message by its interaction's token, or as the bot's own once that is over. */
function patch(caller: Caller, id: string, body: Body): Promise<ApiOutcome> {
  const token = tokenOf(caller.channel, caller.to, Date.now());
  const [kind, name] = id.split(':');
  if (token === undefined || kind === 'm') return patchInChannel(caller, id, body);
  const path = `${webhookPath(caller, token)}/messages/${kind === 'o' ? '@original' : name}`;
  return call(caller, { method: 'PATCH', path, token, body: asPublic(body) });
}

async function patchInChannel(caller: Caller, id: string, body: Body): Promise<ApiOutcome> {
  const [, name] = id.split(':');
  const channel = await channelId(caller);
  if (typeof channel !== 'string') return channel;
  if (!name) return { kind: 'refused', status: 404, code: UNKNOWN_MESSAGE, description: 'Its message is not known' };
  return call(caller, { method: 'PATCH', path: `/channels/${channel}/messages/${name}`, body: asPublic(body) });
}

function webhookPath({ channel }: Caller, token: string): string {
  return `/webhooks/${channel.settings.applicationId}/${token}`;
}

/** A further message behind an interaction's answer. */
async function followUp(caller: Caller, body: Body, form?: FormData): Promise<ApiOutcome> {
  const token = tokenOf(caller.channel, caller.to, Date.now());
  if (token === undefined) return { kind: 'refused', status: 404, code: 10062, description: 'The interaction is over' };
  const path = webhookPath(caller, token);
  return call(caller, { method: 'POST', path, token, ...(form ? { form } : { body }) });
}

function isFormRefused(outcome: ApiOutcome): boolean {
  return isRefusedWith(outcome, INVALID_FORM);
}

function isRefusedWith(outcome: ApiOutcome, code: number): boolean {
  return outcome.kind === 'refused' && outcome.code === code;
}

/** Discord says so with a code; an address that nobody knows any more is the same. */
function isTokenOver(outcome: ApiOutcome): boolean {
  return outcome.kind === 'refused' && (TOKEN_OVER.has(outcome.code) || (outcome.status === 404 && outcome.code === 0));
}

/** The channel to call Discord with: a private chat that only its person is known of is opened. */
async function channelId(caller: Caller): Promise<string | Exclude<ApiOutcome, { kind: 'ok' }>> {
  const { to } = caller;
  if (to.group) return to.chat;
  if (to.channel !== undefined) return to.channel;
  const body = { recipient_id: to.chat };
  const outcome = await call(caller, { method: 'POST', path: '/users/@me/channels', body });
  if (outcome.kind !== 'ok') return outcome;
  return typeof outcome.result.id === 'string'
    ? outcome.result.id
    : { kind: 'unknown', reason: 'no channel was named' };
}

function call({ channel, signal }: Caller, apiCall: ApiCall): Promise<ApiOutcome> {
  return callApi(channel, apiCall, signal);
}

async function sendFile(caller: Caller, file: OutgoingFile): Promise<SendResult> {
  const { channel, to } = caller;
  const payload = tokenOf(channel, to, Date.now()) === undefined ? NO_MENTIONS : { flags: EPHEMERAL, ...NO_MENTIONS };
  const answered = await followUp(caller, {}, formOf(file, payload));
  if (answered.kind === 'ok') return { kind: 'sent', id: messageId('f', answered.result.id) };
  if (!isTokenOver(answered)) return failedSend(answered);
  if (to.group) return { kind: 'dead', scope: 'message', reason: 'the interaction is over' };
  const id = await channelId(caller);
  if (typeof id !== 'string') return failedSend(id);
  const path = `/channels/${id}/messages`;
  const outcome = await call(caller, { method: 'POST', path, form: formOf(file, NO_MENTIONS) });
  return outcome.kind === 'ok' ? { kind: 'sent', id: messageId('m', outcome.result.id) } : failedSend(outcome);
}

function formOf({ name, mimeType, bytes }: OutgoingFile, payload: object): FormData {
  const form = new FormData();
  form.set('payload_json', JSON.stringify(payload));
  form.set('files[0]', new Blob([new Uint8Array(bytes)], { type: mimeType }), name);
  return form;
}

/** While an answer is deferred, Discord itself shows that somebody is at work. */
async function typing(caller: Caller): Promise<void> {
  const { channel, to } = caller;
  if (to.deferred && tokenOf(channel, to, Date.now()) !== undefined) return;
  const id = await channelId(caller);
  if (typeof id === 'string') await call(caller, { method: 'POST', path: `/channels/${id}/typing` });
}
