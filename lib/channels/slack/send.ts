import type { Channel, ChatApp, IncomingPress, Piece, Sender, SendResult } from '../../ports/chatApp.ts';
import { formTried } from '../shared/formTried.ts';
import { cutText } from '../shared/graphemes.ts';
import { asObject } from '../shared/json.ts';
import { NOTHING_TO_SEE } from '../shared/labels.ts';
import { channelOf, messageId, openedUrl, ownId, readMessageId, type SlackAddress } from './address.ts';
import { type ApiOutcome, callApi, callUrl, failedSend, isFormRefused } from './api.ts';
import { sendFile } from './file.ts';
import { PRESS_ANSWER_LIMIT_CHARS, UPDATE_TEXT_LIMIT_CHARS } from './limits.ts';
import { threadBlockId } from './readPress.ts';
import { escaped } from './text.ts';

/** For calls whose loss does no harm. */
const SMALL_CALL_TIMEOUT_MS = 5_000;

type Params = Record<string, unknown>;
type Call = (params: Params) => Promise<ApiOutcome>;

/** Text is not searched for names or addresses, and links are not fetched: the model may have written them. */
const AS_WRITTEN = { parse: 'none', unfurl_links: false, unfurl_media: false } as const;

/** A message to a person's id goes to their private chat with the bot. */
export const privateChat: ChatApp['privateChat'] = (person) => ({ chat: person });

/** Sends as the channel's bot. A second try in here only follows a refusal, so that nothing is sent twice. */
export function sender(channel: Channel): Sender {
  const small = () => AbortSignal.timeout(SMALL_CALL_TIMEOUT_MS);
  return {
    post: (to, piece, { timeoutMs }) => post(channel, to, piece, AbortSignal.timeout(timeoutMs)),
    edit: (to, id, piece, { timeoutMs }) => edit(channel, to, id, piece, AbortSignal.timeout(timeoutMs)),
    file: (to, file, { timeoutMs }) => sendFile(channel, to, file, AbortSignal.timeout(timeoutMs)),
    typing: (to) => typing(channel, to, small()),
    answerPress: async (press, text) => {
      if (text) await answerPress(channel, press, text, small());
    },
    removeChoices: async (press, shown) => {
      if (shown !== 'changed') await removeChoices(channel, press, small());
    },
    pressedMessage,
  };
}

/** Posts where everybody reads along, or for one person alone. */
async function post(channel: Channel, to: SlackAddress, piece: Piece, signal: AbortSignal): Promise<SendResult> {
  const { user } = piece.body;
  if (user !== undefined) {
    const only = await postForOne(channel, to, piece, signal);
    if (only) return only;
  }
  const call: Call = (params) => callApi(channel, 'chat.postMessage', { ...params, ...AS_WRITTEN }, signal);
  return deliver(piece, (body) => call({ channel: channelOf(to), ...threadOf(to), ...shownAt(to, body) }));
}

/**
 * By the response URL of a command or a press, which works even where the bot is no member; once that is over, as a
 * message for one person. Undefined in a private chat, where nobody else reads.
 */
async function postForOne(
  channel: Channel,
  to: SlackAddress,
  piece: Piece,
  signal: AbortSignal,
): Promise<SendResult | undefined> {
  const url = openedUrl(channel, to);
  if (url !== undefined) {
    const only = { response_type: 'ephemeral', replace_original: false, ...threadOf(to) };
    const outcome = await tried(piece, (body) => callUrl(url, { ...shownAt(to, body), ...only }, signal));
    if (outcome.kind !== 'refused') return resultOf(outcome, '');
  }
  if (!to.group) return undefined;
  const { user } = piece.body;
  const at = { channel: channelOf(to), user: ownId(String(user)), ...openThreadOf(to) };
  return deliver(piece, (body) =>
    callApi(channel, 'chat.postEphemeral', { ...at, ...shownAt(to, body), parse: 'none' }, signal),
  );
}

const tried = (piece: Piece, call: Call) => formTried(piece, call, isFormRefused);

async function deliver(piece: Piece, call: Call): Promise<SendResult> {
  const outcome = await tried(piece, call);
  if (outcome.kind !== 'ok') return failedSend(outcome);
  const { channel, ts, message_ts: only } = outcome.result;
  return { kind: 'sent', id: messageId(String(channel ?? ''), String(ts ?? only ?? '')) };
}

function resultOf(outcome: ApiOutcome, id: string): SendResult {
  return outcome.kind === 'ok' ? { kind: 'sent', id } : failedSend(outcome);
}

async function edit(
  channel: Channel,
  to: SlackAddress,
  id: string,
  piece: Piece,
  signal: AbortSignal,
): Promise<SendResult> {
  if (to.ephemeral === id) return editForOne(channel, to, id, piece, signal);
  const target = updateTarget(id);
  const outcome = await tried(piece, (body) =>
    callApi(channel, 'chat.update', { ...target, ...shownAt(to, body), parse: 'none' }, signal),
  );
  if (outcome.kind === 'refused' && outcome.error === 'message_not_found') {
    return { kind: 'missing', reason: outcome.error };
  }
  return resultOf(outcome, id);
}

/** A message for one person is edited by the response URL of a press on it, and by nothing else. */
async function editForOne(
  channel: Channel,
  to: SlackAddress,
  id: string,
  piece: Piece,
  signal: AbortSignal,
): Promise<SendResult> {
  const url = openedUrl(channel, to);
  if (url === undefined) return { kind: 'dead', scope: 'message', reason: 'a message for one person, out of reach' };
  const outcome = await tried(piece, (body) => callUrl(url, { ...shownAt(to, body), replace_original: true }, signal));
  return resultOf(outcome, id);
}

function updateTarget(id: string): Params {
  const { channel, ts } = readMessageId(id);
  return { channel, ts };
}

function threadOf({ thread }: SlackAddress): Params {
  return thread === undefined ? {} : { thread_ts: thread };
}

/** A thread that nobody has written in yet shows no message for one person: it stands in the channel then. */
function openThreadOf(to: SlackAddress): Params {
  return to.thread === to.message ? {} : threadOf(to);
}

/** A message as it goes to this place: its buttons name the thread, since a message for one person may stand outside. */
function shownAt({ thread }: SlackAddress, { user: _user, ...body }: Params): Params {
  if (thread === undefined || !Array.isArray(body.blocks)) return body;
  const [first, ...more] = body.blocks.filter(isActions);
  const named = (block: Params) => (block === first ? { ...block, block_id: threadBlockId(thread) } : block);
  return first && more.length === 0 ? { ...body, blocks: body.blocks.map(named) } : body;
}

function isActions(block: unknown): boolean {
  return asObject(block).type === 'actions';
}

/** The status under a thread; elsewhere Slack has no such sign for a bot. */
async function typing(channel: Channel, to: SlackAddress, signal: AbortSignal): Promise<void> {
  if (to.thread === undefined) return;
  const params = { channel_id: channelOf(to), thread_ts: to.thread, status: 'is thinking…' };
  await callApi(channel, 'assistant.threads.setStatus', params, signal);
}

async function answerPress(channel: Channel, press: IncomingPress, text: string, signal: AbortSignal): Promise<void> {
  const { to, person, pressId: url } = press;
  const words = { text: escaped(cutText(text, PRESS_ANSWER_LIMIT_CHARS)) };
  const only = { response_type: 'ephemeral', replace_original: false, ...threadOf(to) };
  const outcome = url ? await callUrl(url, { ...words, ...only }, signal) : undefined;
  if (outcome && outcome.kind !== 'refused') return;
  const at = { channel: channelOf(to), user: ownId(person.id), ...threadOf(to) };
  await callApi(channel, 'chat.postEphemeral', { ...at, ...words, parse: 'none' }, signal);
}

/**
 * Slack takes a message as a whole only, so it is set again as it was shown, without its buttons (case 55). What one for
 * one person held is not told with a press: it goes.
 */
async function removeChoices(channel: Channel, press: IncomingPress, signal: AbortSignal): Promise<void> {
  const id = pressedMessage(press);
  if (!press.message || id === undefined) {
    if (press.pressId && isForOne(press.to)) await callUrl(press.pressId, { delete_original: true }, signal);
    return;
  }
  const { blocks = [], text } = press.message as { blocks?: unknown[]; text?: unknown };
  const kept = blocks.filter((block) => !isActions(block));
  const words = cutText(String(text || NOTHING_TO_SEE), UPDATE_TEXT_LIMIT_CHARS);
  const body = { text: words, ...(kept.length > 0 && { blocks: kept }) };
  await edit(channel, press.to, id, { body, plain: { text: words } }, signal);
}

function isForOne({ ephemeral }: SlackAddress): boolean {
  return ephemeral !== undefined;
}

function pressedMessage(press: IncomingPress): string | undefined {
  const to: SlackAddress = press.to;
  return to.ephemeral ?? (to.message === undefined ? undefined : messageId(channelOf(to), to.message));
}
