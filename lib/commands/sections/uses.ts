import type { Argument, ChatUse } from '../command.ts';

/** How rows say where they work and for whom (SPEC 4.1). */

export const PEOPLE: ChatUse = { who: 'people', groups: false };
export const OWNER: ChatUse = { who: 'owner', groups: false };
export const EVERYWHERE: ChatUse = { who: 'people', groups: true };

/** Nothing stands behind the name. */
export const NONE: Argument = { kind: 'none' };
/** The same, for what cannot be taken as said beside a message. */
export const ALONE: Argument = { kind: 'none', alone: true };
