import { closedTo } from '../domain/access.ts';
import type { Base } from '../domain/decide.ts';
import type { State } from '../domain/state.ts';
import {
  sureOfRefusal,
  type Telling,
  type Told,
  tellLimit,
  tellRefusal,
  tryCode,
  uncountCode,
} from '../domain/told.ts';
import type { PersonKey } from '../ports/capacity.ts';
import type { KnownPerson } from '../ports/tenants.ts';
import type { WebhookDeps } from './deps.ts';
import type { Scene } from './scene.ts';

/**
 * What a person is told once, wherever they write. It is noted with the person, by one conditional write before the event
 * that tells it: of messages at once in several places one wins, and it alone may tell; after a crash in between it may
 * again, when it is delivered again. Nothing is written for who is told nothing.
 */

type Deps = Pick<WebhookDeps, 'tenants' | 'runtime' | 'logger'>;

/** Who writes on which channel, and what was read of them. */
interface Who extends PersonKey {
  read: KnownPerson;
}

function whoIs({ place, channel, known, told }: Scene, person: string): Who {
  const read = { ...(known ? { person: known } : {}), ...(told ? { told } : {}) };
  return { tenant: place.tenant, channelId: channel.id, person, read };
}

async function readAgain({ tenants }: Deps, scene: Scene, person: string): Promise<Who> {
  const who = whoIs(scene, person);
  return { ...who, read: await tenants.check(who.tenant, who.channelId, person) };
}

function tellingOf({ runtime }: Deps, { delivery }: Pick<Base, 'delivery'>): Telling {
  return { key: delivery.key, at: runtime.now(), sentAt: delivery.sentAt };
}

/**
 * Puts what `change` makes of what stands, again on what somebody else put meanwhile.
 * @param change gives the same object to leave it as it is, undefined to give up.
 * @returns whether it did not give up.
 */
async function changeTold(
  { tenants }: Deps,
  { tenant, channelId, person, read }: Who,
  change: (told: Told, known: KnownPerson) => Told | undefined,
): Promise<boolean> {
  for (let known = read; ; known = await tenants.check(tenant, channelId, person)) {
    const { told = NOTHING } = known;
    const next = change(told, known);
    if (!next) return false;
    if (next === told || (await tenants.noteTold(tenant, channelId, person, next, known))) return true;
  }
}

const NOTHING: Told = {};

/** Whether this message tells a stranger why they are not let in: they hear each reason once (SPEC 9.3). */
export function mayRefuse(deps: Deps, scene: Scene, { lastMessageAt }: State, base: Base): Promise<boolean> {
  const why = closedTo(scene.record) ?? 'ask';
  const telling = tellingOf(deps, base);
  return changeTold(deps, whoIs(scene, base.person.id), (told, { person }) =>
    tellRefusal(told, why, telling, {
      letInAt: person?.letInAt,
      takenAt: lastMessageAt,
      recorded: person !== undefined,
      asked: person?.status === 'asked',
    }),
  );
}

/** Notes that the stranger was told by this message: until then another one tells them in its stead after a while. */
export async function refused(deps: Deps, scene: Scene, { person, delivery }: Base): Promise<void> {
  try {
    await changeTold(deps, await readAgain(deps, scene, person.id), (told) => sureOfRefusal(told, delivery.key));
  } catch (error) {
    deps.logger.error('stranger.not-noted', error); // they are told all the same
  }
}

/** Whether this message tells its person of a limit: they are told at most once a minute (SPEC 9.4). */
export function mayTellLimit(deps: Deps, scene: Scene, { person, key }: { person: string; key: string }) {
  const telling = { key, at: deps.runtime.now() };
  return changeTold(deps, whoIs(scene, person), (told) => tellLimit(told, telling));
}

/** Counts a claim code before it is tried. @returns false where too many were tried in the last hour (SPEC 9.2). */
export function mayTryCode(deps: Deps, scene: Scene, base: Base): Promise<boolean> {
  const telling = tellingOf(deps, base);
  return changeTold(deps, whoIs(scene, base.person.id), (told) => tryCode(told, telling));
}

/** The code was no wrong one: it does not count. */
export async function wasNoWrongCode(deps: Deps, scene: Scene, { person, delivery }: Base): Promise<void> {
  await changeTold(deps, await readAgain(deps, scene, person.id), (told) => uncountCode(told, delivery.key));
}
