import { isProviderFailure, type ProviderFault, type TranscriptMessage } from '../ports/engine.ts';

/** A conversation that the provider keeps itself: under which id, and what has come since. */
export interface Kept {
  session: string;
  since: TranscriptMessage[];
}

/** What the provider keeps of this transcript, and what it has not read yet; undefined if it keeps nothing of it. */
export function keptOf(messages: readonly TranscriptMessage[]): Kept | undefined {
  const at = messages.findLastIndex((message) => message.role === 'assistant' && message.session !== undefined);
  const last = messages[at];
  const since = messages.slice(at + 1);
  if (last?.role !== 'assistant' || last.session === undefined || since.length === 0) return undefined;
  return { session: last.session, since };
}

/** What a request fails with whose conversation the provider does not keep any more, in the words of one server or another. */
const MAY_BE_FORGOTTEN: ReadonlySet<ProviderFault> = new Set(['bad-request', 'unknown-model', 'too-long']);

/** Whether to send all of the conversation again: what the provider kept of it may be gone. */
export function isForgotten(error: unknown): boolean {
  return isProviderFailure(error) && MAY_BE_FORGOTTEN.has(error.fault);
}
