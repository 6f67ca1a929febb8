/** Who may write to a channel besides its owner (SPEC 9.3): nobody, those let in, or anyone. */
export const ACCESS = ['owner', 'list', 'anyone'] as const;
export type Access = (typeof ACCESS)[number];

/** Why nobody can be let in on a channel: it is for its owner alone, or nobody has claimed it yet (SPEC 9.2, 9.3). */
export const CLOSED = ['owner-only', 'unclaimed'] as const;
export type Closed = (typeof CLOSED)[number];
