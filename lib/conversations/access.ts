import { createHash } from 'node:crypto';
import type { ClaimOutcome } from '../commands/command.ts';
import { type Role, roleOf } from '../domain/access.ts';
import { HOUR_MS, WRONG_CLAIMS } from '../domain/limits.ts';
import type { State } from '../domain/state.ts';
import type { ChannelRecord, PersonRecord } from '../ports/tenants.ts';
import type { WebhookDeps } from './deps.ts';

/** What this person is on this channel now (SPEC 9.1, 9.3). */
export function personRole(channel: ChannelRecord, id: string, group: boolean, person?: PersonRecord): Role {
  return roleOf(id, group, { owner: channel.owner, access: channel.access, status: person?.status });
}

/** The form in which a claim code is kept. */
export function claimHash(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/**
 * Tries a claim code (SPEC 9.2). The claim itself is one conditional write in the tenant, repeatable by the same
 * person, and comes before the event that tells it: a crash in between is mended by the delivery that comes again.
 */
export async function tryClaim(
  deps: WebhookDeps,
  channel: ChannelRecord,
  attempt: { tenant: string; person: string; code: string; state: State },
): Promise<ClaimOutcome> {
  const { tenant, person, code, state } = attempt;
  const now = deps.runtime.now();
  const recent = (state.wrongClaims ?? []).filter((at) => at > now - HOUR_MS);
  if (recent.length >= WRONG_CLAIMS) return 'locked';
  return deps.tenants.claim(tenant, channel.name, { codeHash: claimHash(code), person, now });
}
