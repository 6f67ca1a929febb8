import { type Rate, takeMessage } from '../domain/rate.ts';
import type { State } from '../domain/state.ts';
import type { PersonKey } from '../ports/capacity.ts';
import type { TenantSettings } from '../ports/tenants.ts';
import type { AppendOutcome } from './append.ts';
import type { WebhookDeps } from './deps.ts';
import type { Scene } from './scene.ts';
import { mayTellLimit } from './telling.ts';

/** Whether a person's message is within their limit a minute, wherever else they write (SPEC 9.4). */
export type Permit = { ok: true } | { ok: false; opensAt: number };

/** What a decision on a message may ask for before it can be made. */
export interface Permits {
  rate?: Permit;
  /** Whether the person may be told that a limit is reached. */
  tell?: boolean;
}

/** The person's rate, read only where the tenant has such a limit. */
export async function rateOf(
  { usage }: Pick<WebhookDeps, 'usage'>,
  settings: TenantSettings | undefined,
  who: PersonKey,
): Promise<Rate | undefined> {
  return settings?.messagesPerMinute ? usage.rate(who) : undefined;
}

/**
 * Counts the message before it is appended: of several at once in several places, each write but one fails, and is
 * decided again on what won. The same message is counted once, whatever dies between this and the append.
 */
async function permitFor(deps: WebhookDeps, scene: Scene, message: { person: string; key: string }): Promise<Permit> {
  const { usage, runtime } = deps;
  const allowed = scene.tenant.settings.messagesPerMinute ?? 0;
  const who = { tenant: scene.place.tenant, channelId: scene.channel.id, person: message.person };
  for (let rate = scene.rate ?? (await usage.rate(who)); ; rate = await usage.rate(who)) {
    const taken = takeMessage(rate, { key: message.key, at: runtime.now() }, allowed);
    if (taken.kind === 'full') return { ok: false, opensAt: taken.opensAt };
    if (taken.kind === 'counted' || (await usage.putRate(who, taken.rate, rate))) return { ok: true };
  }
}

/** Appends what `attempt` decides; where that asks for a permit, again with it, from the state that it came to. */
export async function appendPermitted<G>(
  deps: WebhookDeps,
  scene: Scene,
  message: { person: string; key: string },
  state: State,
  attempt: (state: State, permits: Permits) => Promise<AppendOutcome<G | keyof Permits>>,
): Promise<AppendOutcome<G>> {
  const permits: Permits = {};
  for (let from = state; ; ) {
    const outcome = await attempt(from, permits);
    if ('event' in outcome) return outcome;
    if (outcome.gave === 'rate') permits.rate = await permitFor(deps, scene, message);
    else if (outcome.gave === 'tell') permits.tell = await mayTellLimit(deps, scene, message);
    else return outcome as AppendOutcome<G>;
    from = outcome.state;
  }
}
