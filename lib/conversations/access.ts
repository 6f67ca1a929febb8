import { createHash } from 'node:crypto';
import type { ClaimOutcome } from '../commands/command.ts';
import { type Role, roleOf } from '../domain/access.ts';
import type { Base } from '../domain/decide.ts';
import type { Address, Person } from '../domain/events.ts';
import type { ChannelRecord, PersonRecord } from '../ports/tenants.ts';
import type { WebhookDeps } from './deps.ts';
import type { Scene } from './scene.ts';
import { mayTryCode, wasNoWrongCode } from './telling.ts';

/** What this person is on this channel now (SPEC 9.1, 9.3). */
export function personRole(channel: ChannelRecord, id: string, group: boolean, person?: PersonRecord): Role {
  return roleOf(id, group, { owner: channel.owner, access: channel.access, status: person?.status });
}

/** A person's record as it is after a decision on them. */
export function decided(before: Omit<PersonRecord, 'status'>, status: 'let-in' | 'put-out', at: number): PersonRecord {
  return { ...before, status, at, ...(status === 'let-in' ? { letInAt: at } : {}) };
}

/** The form in which a claim code is kept. */
export function claimHash(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** What a claim code consists of. */
const CODE = /^[A-Za-z0-9]+$/;

/**
 * Whether what follows `/start` is tried as a claim code. For whoever may write already it may be the payload of any deep
 * link: it is one where it is the channel's own code, used or expired too, or could be while a code is out (SPEC 9.2).
 */
export function mayBeCode({ record, asker }: Scene, code: string, now: number): boolean {
  const { claim } = record;
  if (asker.role === 'stranger') return true;
  if (!claim) return false;
  const isOut = claim.usedBy === undefined && claim.expiresAt > now;
  return claim.codeHash === claimHash(code) || (isOut && CODE.test(code));
}

/** Where somebody is written to at any time: what stands for one message alone is left out. */
function chatOf({ chat, thread }: Address): Address {
  return thread === undefined ? { chat } : { chat, thread };
}

/**
 * Tries a claim code (SPEC 9.2). The claim itself is one conditional write in the tenant, repeatable by the same
 * person, and comes before the event that tells it: a crash in between is mended by the delivery that comes again. Each
 * try is counted before, wherever it was sent, so that of many at once no more are tried than may be wrong.
 */
export async function tryClaim(deps: WebhookDeps, scene: Scene, base: Base, code: string): Promise<ClaimOutcome> {
  if (!(await mayTryCode(deps, scene, base))) return 'locked';
  const { person, to } = base;
  const attempt = {
    ...{ codeHash: claimHash(code), person: person.id, now: deps.runtime.now() },
    // Where the app does not say which chat is somebody's, it is this one.
    ...(scene.app.privateChat(person.id) ? {} : { chat: chatOf(to) }),
  };
  const outcome = await deps.tenants.claim(scene.place.tenant, scene.record.name, attempt);
  if (outcome !== 'wrong') await wasNoWrongCode(deps, scene, base);
  return outcome;
}

/** Whether this person writes as anyone may, and is not recorded yet: by the first thing that they write, they are. */
function isNewWriter({ record, known, asker }: Scene): boolean {
  return record.access === 'anyone' && !known && (asker.role === 'let-in' || asker.role === 'guest');
}

/** Records who writes where anyone may, once, so that the owner finds them in `/people` and can put them out (SPEC 4.2). */
export async function recordWriter(
  { tenants, logger }: WebhookDeps,
  scene: Scene,
  { id, name }: Person,
): Promise<void> {
  if (!isNewWriter(scene)) return;
  const writer = { id, ...(name === undefined ? {} : { name }), status: 'wrote' as const };
  try {
    await tenants.addPerson(scene.place.tenant, scene.channel.id, writer);
  } catch (error) {
    logger.error('people.not-recorded', error); // their next message records them
  }
}
