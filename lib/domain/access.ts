import type { Access, Closed, Standing } from './tenancy.ts';

/**
 * What a person is on a channel (SPEC 1): its owner, let in, a group guest (admitted by the channel's rule only, in a
 * group), or a stranger.
 */
export type Role = 'owner' | 'let-in' | 'guest' | 'stranger';

/** What decides a person's role: the channel's owner and rule, and the person's own record. */
export interface Admission {
  owner?: string | undefined;
  access: Access;
  status?: Standing | undefined;
}

/** The role of a person (SPEC 9.1, 9.3). Talking and owning never derive from each other. */
export function roleOf(person: string, group: boolean, admission: Admission): Role {
  if (admission.owner === person) return 'owner';
  if (admission.status === 'put-out' || admission.access === 'owner') return 'stranger';
  if (admission.status === 'let-in') return 'let-in';
  if (admission.access !== 'anyone') return 'stranger';
  return group ? 'guest' : 'let-in';
}

/** Why nobody can let a stranger in on a channel; undefined if its owner can. */
export function closedTo({ owner, access }: Pick<Admission, 'owner' | 'access'>): Closed | undefined {
  if (owner === undefined) return 'unclaimed';
  return access === 'owner' ? 'owner-only' : undefined;
}
