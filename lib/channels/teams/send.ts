import type { Channel, ChatApp, IncomingPress, OutgoingFile, Piece, Sender, SendResult } from '../../ports/chatApp.ts';
import { formTried } from '../shared/formTried.ts';
import { cutText } from '../shared/graphemes.ts';
import { isBlank, plainRich } from '../shared/rich.ts';
import { splitRich } from '../shared/split.ts';
import { botId, conversationOf, type TeamsAddress } from './address.ts';
import { type ApiOutcome, callApi, failedSend, isFormRefused, isMissing } from './api.ts';
import { cardOf } from './card.ts';
import { limits, PRESS_ANSWER_LIMIT_CHARS } from './limits.ts';
import { cardMessage } from './render.ts';

/** For calls whose loss does no harm. */
const SMALL_CALL_TIMEOUT_MS = 4_000;

type Body = Record<string, unknown>;

/** What a call is made with. */
interface Caller {
  channel: Channel;
  to: TeamsAddress;
  signal: AbortSignal;
}

/** A person's id leads to their private chat, which is opened when something is sent there. */
export const privateChat: ChatApp['privateChat'] = (person) => ({ chat: person });

/** Sends as the channel's bot. A second try in here only follows a refusal, so that nothing is sent twice. */
export function sender(channel: Channel): Sender {
  const caller = (to: TeamsAddress, timeoutMs = SMALL_CALL_TIMEOUT_MS): Caller => ({
    ...{ channel, to, signal: AbortSignal.timeout(timeoutMs) },
  });
  return {
    post: (to, piece, { timeoutMs }) => post(caller(to, timeoutMs), piece),
    edit: (to, id, piece, { timeoutMs }) => edit(caller(to, timeoutMs), id, piece),
    file: (to, file, { timeoutMs }) => sendFile(caller(to, timeoutMs), file),
    typing: async (to) => {
      await postActivity(caller(to), { type: 'typing' });
    },
    answerPress: (press, text) => answerPress(caller(press.to), text),
    removeChoices: async (press, shown) => {
      const [id, piece] = [pressedMessage(press), withoutChoices(press)];
      if (shown !== 'changed' && id !== undefined && piece) await edit(caller(press.to), id, piece);
    },
    mustRedraw,
    pressedMessage,
  };
}

/** What the pressed card shows, by the press's own word: where others read along, a changed client could have the bot say anything. */
function shownIn({ to, message }: IncomingPress): string | undefined {
  const words = message?.words;
  return to.group || typeof words !== 'string' || isBlank(words) ? undefined : words;
}

export function mustRedraw(press: IncomingPress): boolean {
  return shownIn(press) === undefined;
}

export function pressedMessage({ to }: IncomingPress): string | undefined {
  return to.message;
}

/** The pressed message without its choices. A press does not tell what its card shows, so the card brings its words along. */
export function withoutChoices(press: IncomingPress): Piece | undefined {
  const words = shownIn(press);
  if (words === undefined) return undefined;
  const text = cutText(words.toWellFormed(), limits.textLimit);
  const body = cardMessage(cardOf(plainRich(text), []), text);
  return { body, plain: body };
}

async function post(caller: Caller, piece: Piece): Promise<SendResult> {
  const outcome = await formTried(piece, (body) => postActivity(caller, body), isFormRefused);
  return outcome.kind === 'ok' ? { kind: 'sent', id: String(outcome.result.id ?? '') } : failedSend(outcome);
}

async function edit(caller: Caller, id: string, piece: Piece): Promise<SendResult> {
  const outcome = await formTried(piece, (body) => putActivity(caller, id, body), isFormRefused);
  if (outcome.kind === 'ok') return { kind: 'sent', id };
  const failed = failedSend(outcome);
  return isMissing(outcome) && failed.kind === 'dead' ? { kind: 'missing', reason: failed.reason } : failed;
}

async function postActivity(caller: Caller, activity: Body): Promise<ApiOutcome> {
  const conversation = await conversationFor(caller);
  if (typeof conversation !== 'string') return conversation;
  return call(caller, 'POST', activitiesOf(conversation), activity);
}

async function putActivity(caller: Caller, id: string, activity: Body): Promise<ApiOutcome> {
  const conversation = await conversationFor(caller);
  if (typeof conversation !== 'string') return conversation;
  return call(caller, 'PUT', `${activitiesOf(conversation)}/${encodeURIComponent(id)}`, { ...activity, id });
}

function activitiesOf(conversation: string): string {
  return `/v3/conversations/${encodeURIComponent(conversation)}/activities`;
}

/** The conversation's id: a private chat that only its person is known of is opened, which gives the same each time. */
async function conversationFor(caller: Caller): Promise<string | Exclude<ApiOutcome, { kind: 'ok' }>> {
  const known = conversationOf(caller.to);
  if (known !== undefined) return known;
  const { appId = '', appTenantId: tenantId } = caller.channel.settings;
  const who = { bot: { id: botId(appId) }, members: [{ id: caller.to.chat }], isGroup: false };
  const outcome = await call(caller, 'POST', '/v3/conversations', {
    ...who,
    tenantId,
    channelData: { tenant: { id: tenantId } },
  });
  if (outcome.kind !== 'ok') return outcome;
  const { id } = outcome.result;
  return typeof id === 'string' ? id : { kind: 'unknown', reason: 'no conversation was named' };
}

function call({ channel, to, signal }: Caller, method: 'POST' | 'PUT', path: string, body: Body): Promise<ApiOutcome> {
  return callApi(channel, to, { method, path, body }, signal);
}

/** Where no HTTP answer shows it, a person is told by a message; not where others would read what is for one alone. */
async function answerPress(caller: Caller, text: string | undefined): Promise<void> {
  if (!text || caller.to.group) return;
  await postActivity(caller, { type: 'message', textFormat: 'plain', text: cutText(text, PRESS_ANSWER_LIMIT_CHARS) });
}

/**
 * The file's text, in as many messages as it takes: a real file would need the person's consent for each, and there is
 * none in a group. What is left after a failure is not sent; the result is that of the last one.
 */
async function sendFile(caller: Caller, { bytes }: OutgoingFile): Promise<SendResult> {
  const text = new TextDecoder().decode(bytes);
  const pieces = splitRich(plainRich(text), limits.textLimit, ({ length }) => length);
  let result: SendResult = { kind: 'dead', scope: 'message', reason: 'an empty file' };
  for (const piece of pieces) {
    const body = { type: 'message', textFormat: 'plain', text: piece.text };
    const sent = await post(caller, { body, plain: body });
    // What was sent is not to be sent again with the rest.
    if (sent.kind === 'refused' && result.kind === 'sent') return { kind: 'unknown', reason: sent.reason };
    if (sent.kind !== 'sent') return sent;
    result = sent;
  }
  return result;
}
