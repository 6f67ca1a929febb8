import { compactionLine } from '../commands/compact.ts';
import { askedIn, questionText } from '../commands/question.ts';
import type { EventOf } from '../domain/events.ts';
import { eventOf } from '../domain/events.ts';
import { DELIVERY_TRIES } from '../domain/limits.ts';
import type { OwedDelivery } from '../domain/state.ts';
import type { Piece, ShownChoice } from '../ports/chatApp.ts';
import type { StoredEvent } from '../ports/log.ts';
import {
  editPart,
  editUnlessShown,
  openPart,
  postPart,
  type ReplyTarget,
  reopenPart,
  type Shown,
} from './replyParts.ts';

/** What came of a delivery: it is over (shown or undeliverable), lost to another worker, or to be tried later. */
export type Delivered = { kind: 'over' } | { kind: 'lost' } | { kind: 'later'; retryAfterMs: number };

/**
 * Shows what a turn ended with: the final text goes out by editing messages whose ids are recorded; `reply.delivered`
 * ends what is owed (DESIGN 3, Replies). A refusal for good, or too many failures, end it as undeliverable, so that the
 * place goes on.
 * @param event the `turn.ended`, `question.asked` or `context.compacted` that is owed.
 * @param choices what stands under it.
 */
export async function deliverReply(
  target: ReplyTarget,
  owed: OwedDelivery,
  event: StoredEvent,
  choices: readonly ShownChoice[] = [],
): Promise<Delivered> {
  if (owed.tries >= DELIVERY_TRIES) return settle(target, 'failed too often');
  const pieces = target.app.render({
    markdown: finalText(event),
    ...(choices.length === 0 ? {} : { choices: [...choices] }),
  });
  const shown = await (target.app.limits.canEdit ? editAll(target, owed, pieces) : postAll(target, event, pieces));
  if (shown.kind === 'lost' || shown.kind === 'later') return shown;
  if (shown.kind === 'missing') return settle(target, 'deleted by the person');
  return settle(target, shown.kind === 'dead' ? shown.reason : undefined);
}

/** What a message shows that a longer try had opened and the answer no longer needs. */
export const SURPLUS = '*See above.*';

async function settle(target: ReplyTarget, undeliverable: string | undefined): Promise<Delivered> {
  const { holder } = target;
  const { event } = await holder.append(() => ({
    type: 'reply.delivered',
    data: { ...holder.claim, ...(undeliverable === undefined ? {} : { undeliverable: inShort(undeliverable) }) },
  }));
  return event ? { kind: 'over' } : { kind: 'lost' };
}

/** An app's own word for a failure, as long as one is worth keeping. */
function inShort(reason: string): string {
  return reason.slice(0, 200).toWellFormed();
}

async function editAll(target: ReplyTarget, owed: OwedDelivery, pieces: ReturnType<ReplyTarget['app']['render']>) {
  let last: Shown = { kind: 'shown', id: '' };
  for (let n = owed.parts.length; n < pieces.length; n++) {
    last = await openPart(target);
    if (last.kind !== 'shown') return last;
  }
  const ids = target.holder.state.owed?.parts ?? owed.parts;
  const [surplus] = target.app.render({ markdown: SURPLUS });
  for (const [n, id] of ids.entries()) {
    if (n < (owed.shown ?? 0)) continue;
    const piece = pieces[n] ?? surplus;
    if (!piece) break;
    last = await editOrReopen(target, n, id, piece);
    if (last.kind === 'later') return (await remember(target, n)) ? last : { kind: 'lost' as const };
    if (last.kind !== 'shown') return last;
  }
  return last;
}

/** Where the app makes long replies wait, each worker would come no further than the one before. */
async function remember(target: ReplyTarget, shown: number): Promise<boolean> {
  const { holder } = target;
  const { event } = await holder.append(({ owed }) => ({
    type: 'reply.opened',
    data: { ...holder.claim, parts: owed?.parts ?? [], shown },
  }));
  return event !== undefined;
}

/** A message that the person deleted while it grew is opened anew, so that the answer is not lost with it. */
async function editOrReopen(target: ReplyTarget, n: number, id: string, piece: Piece): Promise<Shown> {
  const edited = await editUnlessShown(target, id, piece);
  if (edited.kind !== 'missing') return edited;
  const opened = await reopenPart(target, n);
  return opened.kind === 'shown' ? editPart(target, opened.id, piece) : opened;
}

/** A turn may have several replies, each with keys of its own. */
async function postAll(target: ReplyTarget, { id }: StoredEvent, pieces: ReturnType<ReplyTarget['app']['render']>) {
  let last: Shown = { kind: 'shown', id: '' };
  for (const [n, piece] of pieces.entries()) {
    last = await postPart(target, piece, `${id}:${n}`);
    if (last.kind !== 'shown') return last;
  }
  return last;
}

/** What the person reads at the end of a turn (SPEC 13.5). */
export function finalText(event: StoredEvent): string {
  const ended = eventOf(event, 'turn.ended');
  if (ended) return endedText(ended);
  const compacted = eventOf(event, 'context.compacted');
  if (compacted) return `*${compactionLine(compacted.data)}.*`;
  const asked = askedIn(event);
  return asked ? questionText(asked) : '…';
}

function endedText({ data }: EventOf<'turn.ended'>): string {
  const text = data.text.trim();
  if (data.outcome === 'complete') return [text, data.notice].filter(Boolean).join('\n\n') || '…';
  if (data.outcome === 'stopped') return text ? `${text}\n\n*Stopped.*` : 'Stopped.';
  return [text, data.notice ?? 'Something went wrong here. Please try again.'].filter(Boolean).join('\n\n');
}
