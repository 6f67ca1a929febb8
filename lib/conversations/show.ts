import { ConchError } from '../domain/errors.ts';
import type { Address } from '../domain/events.ts';
import type { ChatApp, Outgoing, Piece, Sender, SendResult } from '../ports/chatApp.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';

/** Waits at most this long for an app that asks to wait, while a webhook is open. */
const PATIENCE_MS = 2_000;

/** The pieces of something to show. */
export function planned(app: ChatApp, outgoing: Outgoing): Piece[] {
  return app.render(outgoing);
}

/**
 * Posts the pieces of a command's answer, in order. What surely did not arrive is tried once more after a short wait;
 * what may have arrived is not (SPEC 13.6).
 * @returns true if the answer is out, or will never be: nothing more to do.
 * @throws {ConchError} `reply-refused` if it surely did not arrive, so that the app delivers again.
 */
export async function deliver(
  deps: { runtime: Runtime; logger: Logger },
  sender: Sender,
  to: Address,
  pieces: readonly Piece[],
  options: { key: string; timeoutMs: number },
): Promise<boolean> {
  for (const [n, piece] of pieces.entries()) {
    const post = () => sender.post(to, piece, { timeoutMs: options.timeoutMs, idempotencyKey: `${options.key}:${n}` });
    const result = await once(deps, post);
    if (result.kind === 'sent') continue;
    deps.logger.warn('reply.not-sent', { kind: result.kind, reason: result.reason });
    if (result.kind === 'refused') {
      throw new ConchError('reply-refused', 'The app refused the reply for now', { retryable: true });
    }
    return true;
  }
  return true;
}

async function once(deps: { runtime: Runtime }, post: () => Promise<SendResult>): Promise<SendResult> {
  const first = await post();
  if (first.kind !== 'refused' || first.retryAfterMs > PATIENCE_MS) return first;
  await deps.runtime.sleep(Math.max(100, first.retryAfterMs));
  return post();
}
