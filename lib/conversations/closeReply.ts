import { type Answering, leadOf } from './answering.ts';
import { SURPLUS } from './deliverReply.ts';
import { GrowingReply } from './growing.ts';
import { editPart, openPart } from './replyParts.ts';

/**
 * Shows all that the turn has said so far where it grows, before a boundary closes it there (SPEC 8.8); what follows
 * begins a new reply. Where a message cannot be edited, all is shown at the end, and nothing is closed.
 * @returns what was closed; undefined if the claim is lost.
 */
export async function closeReply(answering: Answering): Promise<string | undefined> {
  const { target, holder } = answering;
  const said = leadOf(answering);
  if (said === '' || !target.app.limits.canEdit) return '';
  await answering.growing.end();
  const pieces = target.app.render({ markdown: said });
  const [surplus] = target.app.render({ markdown: SURPLUS });
  for (const [n, piece] of pieces.entries()) {
    if (holder.state.turn?.parts[n] === undefined && (await openPart(target)).kind === 'lost') return undefined;
    const id = holder.state.turn?.parts[n];
    if (id !== undefined && (await editPart(target, id, piece)).kind === 'lost') return undefined;
  }
  // What grew there beside the words, such as the name of a tool, may have taken one message more.
  for (const id of holder.state.turn?.parts.slice(pieces.length) ?? []) {
    if (surplus && (await editPart(target, id, surplus)).kind === 'lost') return undefined;
  }
  answering.growing = new GrowingReply(target);
  return said;
}
