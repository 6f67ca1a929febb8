/** Who may write to a channel besides its owner (SPEC 9.3): nobody, those let in, or anyone. */
export const ACCESS = ['owner', 'list', 'anyone'] as const;
export type Access = (typeof ACCESS)[number];
