import type { Address } from '../domain/events.ts';
import { SEND_TIMEOUT_MS } from '../domain/limits.ts';
import { decideGone } from '../domain/reach.ts';
import type { ChatApp, Piece, Sender, SendResult } from '../ports/chatApp.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';
import type { Holder } from './holder.ts';
import { goneReason } from './reach.ts';

/** What came of showing something. */
export type Shown =
  | { kind: 'shown'; id: string }
  /** The claim is lost: nothing more may be sent. */
  | { kind: 'lost' }
  /** The app takes nothing for now; tried again after the wait. */
  | { kind: 'later'; retryAfterMs: number }
  /** The message to edit was deleted by the person. */
  | { kind: 'missing' }
  | { kind: 'dead'; reason: string };

/** Tries of one send or edit by one worker. */
const TRIES = 6;
/** A wait that a worker sits out; a longer one is left to a delayed hint. */
const PATIENCE_MS = 5_000;

/** Where a turn's reply stands: the chat app, the address, and the fence before every call. */
export interface ReplyTarget {
  app: ChatApp;
  sender: Sender;
  to: Address;
  holder: Holder;
  runtime: Runtime;
  logger: Logger;
}

/**
 * Opens one more message of the reply. It carries no answer, so it may be sent again after a time-out: at worst an
 * orphaned "…" stays (DESIGN 3, Replies). Its id goes into `reply.opened` before anything else is done with it.
 */
export function openPart(target: ReplyTarget): Promise<Shown> {
  return open(target, (parts, id) => [...parts, id]);
}

/** Opens a message in the place of one that the person has deleted. */
export function reopenPart(target: ReplyTarget, n: number): Promise<Shown> {
  return open(target, (parts, id) => parts.with(n, id));
}

async function open(target: ReplyTarget, into: (parts: string[], id: string) => string[]): Promise<Shown> {
  const [piece] = target.app.render({ markdown: '…' });
  if (!piece) throw new Error('The placeholder rendered to nothing');
  const { turn, owed } = target.holder.state;
  const reply = turn ?? owed;
  const isFirst = reply?.parts.length === 0 && !reply.reopened;
  const options = { timeoutMs: SEND_TIMEOUT_MS, ...(isFirst ? { first: true as const } : {}) };
  const shown = await persistently(target, () => target.sender.post(target.to, piece, options));
  if (shown.kind !== 'shown') return shown;
  const { event } = await target.holder.append((state) => {
    const parts = state.turn?.parts ?? state.owed?.parts ?? [];
    return { type: 'reply.opened', data: { ...target.holder.claim, parts: into(parts, shown.id) } };
  });
  return event ? shown : { kind: 'lost' };
}

/** Edits a message of the reply; may be repeated, since an edit twice is an edit once. */
export async function editPart(target: ReplyTarget, id: string, piece: Piece, tries = TRIES): Promise<Shown> {
  const { onScreen } = target.holder;
  const edit = () => target.sender.edit(target.to, id, piece, { timeoutMs: SEND_TIMEOUT_MS });
  const shown = await persistently(target, edit, tries);
  // An edit that may still arrive could come behind every later one.
  const isSure = shown.kind === 'shown' && onScreen.get(id) !== UNSURE;
  onScreen.set(id, isSure ? wordsOf(piece) : UNSURE);
  return shown;
}

/** Edits a message of the reply, unless the last edit of it under this claim has surely shown just this. */
export async function editUnlessShown(target: ReplyTarget, id: string, piece: Piece): Promise<Shown> {
  return target.holder.onScreen.get(id) === wordsOf(piece) ? { kind: 'shown', id } : editPart(target, id, piece);
}

const UNSURE = '';

const wordsOf = ({ body }: Piece) => JSON.stringify(body);

/**
 * Posts a piece of an answer in an app that cannot edit: the one send follows the append, and one that may have arrived
 * counts as sent (SPEC 13.6).
 */
export async function postPart(target: ReplyTarget, piece: Piece, idempotencyKey: string): Promise<Shown> {
  const options = { timeoutMs: SEND_TIMEOUT_MS, idempotencyKey };
  return persistently(target, async () => {
    const result = await target.sender.post(target.to, piece, options);
    return result.kind === 'unknown' ? { kind: 'sent', id: '' } : result;
  });
}

/** Why nothing is tried in a place whose state says so. */
const GONE = 'the bot was blocked or removed';

/** One call with the fence before each try; none where the app has said that the bot was blocked or removed. */
async function persistently(target: ReplyTarget, call: () => Promise<SendResult>, tries = TRIES): Promise<Shown> {
  for (let n = 1; ; n++) {
    if (!(await target.holder.maySend())) return { kind: 'lost' };
    const before = target.holder.state;
    if (before.gone !== undefined) return { kind: 'dead', reason: GONE };
    const result = await call();
    if (result.kind === 'sent') return { kind: 'shown', id: result.id };
    target.logger.warn('reply.not-sent', { kind: result.kind, reason: result.reason });
    const gone = goneReason(result);
    if (gone !== undefined) await target.holder.append((state) => decideGone(state, before, gone, target.holder.claim));
    if (result.kind === 'dead') return { kind: 'dead', reason: result.reason };
    if (result.kind === 'missing') return { kind: 'missing' };
    const waitMs = result.kind === 'refused' ? Math.max(result.retryAfterMs, 500 * n) : 500 * n;
    if (n >= tries || waitMs > PATIENCE_MS) return { kind: 'later', retryAfterMs: waitMs };
    await target.runtime.sleep(waitMs);
  }
}
