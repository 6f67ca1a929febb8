import type { Ignored, Malformed } from '../../ports/chatApp.ts';

/** Nothing for us. @param reason for the log. */
export function ignored(reason: string): Ignored {
  return { kind: 'ignored', reason };
}

/** Not what the app sends. @param reason for whoever sent it, and the log. */
export function malformed(reason: string): Malformed {
  return { kind: 'malformed', reason };
}
