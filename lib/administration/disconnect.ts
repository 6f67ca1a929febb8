import type { ChannelRecord } from '../ports/tenants.ts';
import { channelOpener } from '../tenants/channels.ts';
import type { AdministrationDeps } from './deps.ts';

/**
 * Deletes a channel with the workspaces that its app is installed in, then takes its webhook away at the app. Whatever the app answers, the channel is gone: what it still
 * delivers is refused.
 */
export async function disconnect(deps: AdministrationDeps, tenant: string, record: ChannelRecord): Promise<void> {
  const scope = { tenant, channelId: record.id };
  await deps.installations.erase(scope);
  await deps.tenants.deleteChannel(tenant, record.name);
  // One may have been finished before the channel was gone; whoever finishes one behind it takes it back.
  await deps.installations.erase(scope);
  try {
    const channel = await channelOpener(deps.secrets)(tenant, record);
    const result = await deps.apps[record.app]?.unregister(channel);
    if (result && !result.ok) deps.logger.warn('administration.channel.not-unregistered', { reason: result.reason });
  } catch (error) {
    deps.logger.error('administration.channel.not-unregistered', error);
  }
}
