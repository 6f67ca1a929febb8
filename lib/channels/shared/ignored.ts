import type { Ignored } from '../../ports/chatApp.ts';

/** Nothing for us. @param reason for the log. */
export function ignored(reason: string): Ignored {
  return { kind: 'ignored', reason };
}
