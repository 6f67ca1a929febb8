import { inOrderAdded, type ProviderRecord, type TenantRecord, type TenantSettings } from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { toChannel } from './channelItems.ts';
import { toCommands, toSkills } from './customItems.ts';
import { readJson, readText } from './items.ts';
import { SETTINGS_KEY } from './keys.ts';
import { toToolServers } from './toolServers.ts';

/** The tenant of these items; items of kinds that this version does not know are passed over. */
export function toTenant(tenant: string, version: number, items: readonly Item[]): TenantRecord | undefined {
  const settings = items.find((item) => readText(item, 'sk') === SETTINGS_KEY);
  if (!settings) return undefined;
  const kind = (name: string) => items.filter((item) => readText(item, 'sk').startsWith(`${name}#`));
  return {
    tenant,
    version,
    settings: readJson(settings, 'record') as TenantSettings,
    channels: kind('channel').map(toChannel),
    providers: inOrderAdded(kind('provider').map((item) => readJson(item, 'record') as ProviderRecord)),
    commands: toCommands(kind('command')),
    skills: toSkills(kind('skill')),
    toolServers: toToolServers(kind('tool-server')),
  };
}
