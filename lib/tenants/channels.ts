import type { Channel } from '../ports/chatApp.ts';
import type { SecretBox } from '../ports/secrets.ts';
import type { ChannelRecord } from '../ports/tenants.ts';

/** Opens the secrets of a channel, each bound to the tenant and the channel's id (SPEC 14.2). */
export function channelOpener(secrets: SecretBox): (tenant: string, record: ChannelRecord) => Promise<Channel> {
  return async (tenant, record) => {
    const { id, name, app, settings, apiRoot, bot } = record;
    const opened = await Promise.all(
      Object.entries(record.secrets).map(
        async ([key, sealed]) => [key, await secrets.open(sealed, { tenant, owner: id })] as const,
      ),
    );
    return {
      ...{ id, tenant, name, app, settings, secrets: Object.fromEntries(opened) },
      ...(apiRoot === undefined ? {} : { apiRoot }),
      ...(bot === undefined ? {} : { bot }),
    };
  };
}
