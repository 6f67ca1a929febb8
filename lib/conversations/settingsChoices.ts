import { decideChange, isReset } from '../commands/change.ts';
import type { TenantFacts } from '../commands/command.ts';
import { mayChange } from '../commands/gate.ts';
import { withChange } from '../domain/changedSettings.ts';
import { ran } from '../domain/decide.ts';
import type { EventOf, OptionsChange } from '../domain/events.ts';
import { remembers } from '../domain/ring.ts';
import type { ActionTarget } from '../ports/actions.ts';
import type { Doing, Picking } from './choices.ts';
import type { WebhookDeps } from './deps.ts';
import { tenantFacts } from './prepare.ts';

/** A choice of a settings menu. */
export type SettingsTarget = Extract<ActionTarget, { kind: 'menu' | 'set' }>;

/**
 * What a choice of a settings menu does (SPEC 11.5); undefined if the person may not make this change. Whether they may run
 * the command is the caller's to check.
 */
export async function settingsDoing(picking: Picking, target: SettingsTarget): Promise<Doing | undefined> {
  const { scene, deps } = picking;
  const { command, view } = target;
  if (target.kind === 'menu') return { command, decide: (_state, base) => ran(base, 'shown', { view }) };
  const { change, sure } = target;
  if (!mayChange(change, view.scope, scene.asker)) return undefined;
  const tenant = tenantFacts(deps, scene.tenant);
  if (view.scope === 'defaults' && sure) return changingDefaults(picking, target, tenant);
  return { command, decide: (state, base) => decideChange(state, { ...target, picked: true }, { base, tenant }) };
}

/** A confirmed default: the event that settles the press puts it into force. What is shown is how it will be then. */
async function changingDefaults(
  { deps, scene, state, base }: Picking,
  { command, change, view }: Extract<SettingsTarget, { kind: 'set' }>,
  { models }: TenantFacts,
): Promise<Doing | undefined> {
  if (typeof change.model === 'string' && !models.some(({ name }) => name === change.model)) {
    return { command, decide: (_state, by) => ran(by, 'gone', { typed: change.model, view }) };
  }
  const decide: Doing['decide'] = (_state, by) => ran(by, 'default-set', { view, change });
  if (remembers(state.ring, base.delivery.key)) return { command, decide };
  const tenant = await deps.tenants.load(scene.place.tenant);
  const channel = tenant?.channels.find(({ id }) => id === scene.channel.id);
  // Not the owner any more (SPEC 9.1).
  if (!tenant || channel?.owner !== base.person.id) return undefined;
  const settings = withChange(tenant.settings, change);
  return { command, decide, scene: { ...scene, tenant: { ...tenant, settings } } };
}

/** Puts a confirmed default into force; a delivery that comes again changes nothing more. */
export async function setDefaults(deps: WebhookDeps, tenant: string, event: EventOf<'command.ran'>): Promise<void> {
  const { outcome, detail } = event.data;
  if (outcome !== 'default-set') return;
  const { change } = detail as { change: OptionsChange };
  await deps.tenants.changeSettings(tenant, change, event.at);
  deps.logger.info('settings.defaults-changed', { tenant, reset: isReset(change) });
}
