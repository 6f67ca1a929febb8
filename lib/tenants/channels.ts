import type { Channel } from '../ports/chatApp.ts';
import type { SecretBox } from '../ports/secrets.ts';
import type { ChannelRecord } from '../ports/tenants.ts';

/**
 * Opens the secrets of a channel, each bound to the tenant and the channel's id (SPEC 14.2). An opened channel is kept
 * for as long as its record is: the directory reads a new one when the tenant has changed, after 5 minutes at the latest.
 */
export function channelOpener(secrets: SecretBox): (tenant: string, record: ChannelRecord) => Promise<Channel> {
  const opened = new WeakMap<ChannelRecord, Promise<Channel>>();
  return (tenant, record) => {
    const known = opened.get(record);
    if (known) return known;
    const channel = open(secrets, tenant, record);
    opened.set(record, channel);
    channel.catch(() => opened.delete(record));
    return channel;
  };
}

async function open(secrets: SecretBox, tenant: string, record: ChannelRecord): Promise<Channel> {
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
}
