import { inOrderAdded, type ProviderRecord, type TenantRecord, type TenantSettings } from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { toChannel } from './channelItems.ts';
import { type OnBroken, toCommands, toSkills } from './customItems.ts';
import { readJson, readText } from './items.ts';
import { SETTINGS_KEY } from './keys.ts';
import { toToolServers } from './toolServers.ts';

/** The tenant of these items; items of kinds that this version does not know are passed over, and broken ones are told. */
export function toTenant(
  tenant: string,
  version: number,
  items: readonly Item[],
  onBroken: OnBroken,
): TenantRecord | undefined {
  const settings = items.find((item) => readText(item, 'sk') === SETTINGS_KEY);
  if (!settings) return undefined;
  const kind = (name: string) => items.filter((item) => readText(item, 'sk').startsWith(`${name}#`));
  return {
    tenant,
    version,
    settings: readJson(settings, 'record') as TenantSettings,
    channels: kind('channel').map(toChannel),
    providers: inOrderAdded(kind('provider').map((item) => readJson(item, 'record') as ProviderRecord)),
    commands: toCommands(kind('command'), onBroken),
    skills: toSkills(kind('skill'), onBroken),
    toolServers: toToolServers(kind('tool-server'), onBroken),
  };
}
