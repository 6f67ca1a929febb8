import { ReplyRefusedError } from '../domain/errors.ts';
import type { Address } from '../domain/events.ts';
import type { OutgoingFile, Piece, Sender, SendResult } from '../ports/chatApp.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';
import { goneReason } from './reach.ts';

/** Waits at most this long for an app that asks to wait, while a webhook is open. */
const PATIENCE_MS = 2_000;

/**
 * Posts the pieces of a command's answer, in order. What surely did not arrive is tried once more after a short wait;
 * what may have arrived is not (SPEC 13.6).
 * @returns `gone`, and why, if the app says that the bot was blocked or removed there.
 * @throws {ReplyRefusedError} if it surely did not arrive, so that the app delivers again.
 */
export async function deliver(
  deps: { runtime: Runtime; logger: Logger },
  sender: Sender,
  to: Address,
  pieces: readonly Piece[],
  options: { key: string; timeoutMs: number },
): Promise<{ gone?: string }> {
  for (const [n, piece] of pieces.entries()) {
    const post = () => sender.post(to, piece, { timeoutMs: options.timeoutMs, idempotencyKey: `${options.key}:${n}` });
    const result = await once(deps, post);
    if (result.kind === 'sent') continue;
    deps.logger.warn('reply.not-sent', { kind: result.kind, reason: result.reason });
    if (result.kind === 'refused') throw new ReplyRefusedError();
    return goneOf(result);
  }
  return {};
}

function goneOf(result: SendResult): { gone?: string } {
  const gone = goneReason(result);
  return gone === undefined ? {} : { gone };
}

/** A file takes longer to send than a message; with all else it has to fit into the 30 s that a webhook has. */
const FILE_TIMEOUT_MS = 20_000;

/** Sends a file, tried once, or what is said `instead` if the app does not take it. @returns and throws as `deliver`. */
export async function deliverFile(
  deps: { runtime: Runtime; logger: Logger },
  sender: Sender,
  to: Address,
  file: OutgoingFile,
  instead: readonly Piece[],
  options: { key: string; timeoutMs: number },
): Promise<{ gone?: string }> {
  const send = { timeoutMs: FILE_TIMEOUT_MS, idempotencyKey: options.key };
  const result = await sender.file(to, file, send);
  if (result.kind === 'sent') return {};
  deps.logger.warn('reply.file-not-sent', { kind: result.kind, reason: result.reason });
  if (result.kind === 'refused') throw new ReplyRefusedError();
  const over = goneOf(result);
  return result.kind === 'dead' && over.gone === undefined ? deliver(deps, sender, to, instead, options) : over;
}

async function once(deps: { runtime: Runtime }, post: () => Promise<SendResult>): Promise<SendResult> {
  const first = await post();
  if (first.kind !== 'refused' || first.retryAfterMs > PATIENCE_MS) return first;
  await deps.runtime.sleep(Math.max(100, first.retryAfterMs));
  return post();
}
