import type { ReplyContext } from './command.ts';
import { tokens } from './words.ts';

/**
 * How full the model's context is, as `84.2k of 200k (42%)` (SPEC 8.1). After a compaction on request, and before the
 * first answer, nothing is known: an old number is never shown (SPEC 8.4).
 */
export function contextLine({ state, chat }: Pick<ReplyContext, 'state' | 'chat'>): string {
  const { reading, memory } = state;
  const window = chat.contextWindow;
  if (reading?.compacted) return 'compacted (0%), known again after the next answer';
  if (!reading && memory.messages > 0) return 'known after the next answer';
  const read = reading?.tokens ?? 0;
  if (window === undefined) return tokens(read);
  return `${tokens(read)} of ${tokens(window)} (${Math.round((read / window) * 100)}%)`;
}
