/** Who may write to a channel besides its owner (SPEC 9.3): nobody, those let in, or anyone. */
export const ACCESS = ['owner', 'list', 'anyone'] as const;
export type Access = (typeof ACCESS)[number];

/**
 * What is recorded of a person on a channel: the owner let them in or put them out; they asked to be let in, or wrote as
 * anyone may there.
 */
export type Standing = 'let-in' | 'put-out' | 'asked' | 'wrote';

/** Why nobody can be let in on a channel: it is for its owner alone, or nobody has claimed it yet (SPEC 9.2, 9.3). */
export const CLOSED = ['owner-only', 'unclaimed'] as const;
export type Closed = (typeof CLOSED)[number];
