import { type Rate, takeMessage } from '../domain/rate.ts';
import type { State } from '../domain/state.ts';
import type { PersonKey } from '../ports/capacity.ts';
import type { TenantSettings } from '../ports/tenants.ts';
import type { AppendOutcome } from './append.ts';
import type { WebhookDeps } from './deps.ts';
import type { Scene } from './scene.ts';

/** Whether a person's message is within their limit a minute, wherever else they write (SPEC 9.4). */
export type Permit = { ok: true } | { ok: false; opensAt: number };

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

/** Appends what `attempt` decides; where that asks for a permit, once more with one, from the state that it came to. */
export async function appendPermitted<G>(
  deps: WebhookDeps,
  scene: Scene,
  message: { person: string; key: string },
  state: State,
  attempt: (state: State, permit?: Permit) => Promise<AppendOutcome<G | 'permit'>>,
): Promise<AppendOutcome<G>> {
  const first = await attempt(state);
  if ('event' in first || first.gave !== 'permit') return first as AppendOutcome<G>;
  return (await attempt(first.state, await permitFor(deps, scene, message))) as AppendOutcome<G>;
}
