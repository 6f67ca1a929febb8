import { decideChange, isReset } from '../commands/change.ts';
import type { TenantFacts } from '../commands/command.ts';
import { mayChange } from '../commands/gate.ts';
import { ran } from '../domain/decide.ts';
import type { OptionsChange } from '../domain/events.ts';
import { remembers } from '../domain/ring.ts';
import type { ActionTarget } from '../ports/actions.ts';
import type { TenantRecord, TenantSettings } from '../ports/tenants.ts';
import type { Doing, Picking } from './choices.ts';
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

/**
 * A confirmed default. It is written before the append that settles the press, since a crash in between is mended by the
 * press that comes again: the same value is written once more. A press that was settled writes nothing.
 */
async function changingDefaults(
  picking: Picking,
  target: Extract<SettingsTarget, { kind: 'set' }>,
  { models }: TenantFacts,
): Promise<Doing | undefined> {
  const { scene, state, base } = picking;
  const { command, change, view } = target;
  if (typeof change.model === 'string' && !models.some(({ name }) => name === change.model)) {
    return { command, decide: (_state, by) => ran(by, 'gone', { typed: change.model, view }) };
  }
  const isSettled = remembers(state.ring, base.delivery.key);
  const tenant = isSettled ? scene.tenant : await writeDefaults(picking, change);
  if (!tenant) return undefined;
  return {
    command,
    scene: { ...scene, tenant },
    decide: (_state, by) => ran(by, 'default-set', { view, change }),
  };
}

/** Writes the defaults of the tenant, as they are now; undefined if the person is not the owner any more (SPEC 9.1). */
async function writeDefaults({ deps, scene, base }: Picking, change: OptionsChange): Promise<TenantRecord | undefined> {
  const tenant = await deps.tenants.load(scene.place.tenant);
  const channel = tenant?.channels.find(({ id }) => id === scene.channel.id);
  if (!tenant || channel?.owner !== base.person.id) return undefined;
  const settings = changedDefaults(tenant.settings, change);
  await deps.tenants.putSettings(tenant.tenant, settings);
  deps.logger.info('settings.defaults-changed', { tenant: tenant.tenant, reset: isReset(change) });
  return { ...tenant, settings };
}

/** The settings with the change; what it sets to null goes back to what is built in. Limits stay. */
function changedDefaults(settings: TenantSettings, change: OptionsChange): TenantSettings {
  const merged = { ...settings, ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null && value !== undefined));
}
