import type { Channel } from '../ports/chatApp.ts';
import { openAll, type SecretBox } from '../ports/secrets.ts';
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
  const opened = await openAll(secrets, record.secrets, { tenant, owner: id });
  return {
    ...{ id, tenant, name, app, settings, secrets: opened },
    ...(apiRoot === undefined ? {} : { apiRoot }),
    ...(bot === undefined ? {} : { bot }),
  };
}
