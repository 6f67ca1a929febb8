import { randomBytes } from 'node:crypto';
import { channelIdOf } from '../lib/domain/place.ts';
import type { SecretBox } from '../lib/ports/secrets.ts';
import type { ChannelRecord, Tenants } from '../lib/ports/tenants.ts';
import type { Credentials } from './settings.ts';

const TENANT = 'local';
/** The person that the terminal chat writes as; owns the channel. */
const TERMINAL_PERSON = 'you';

/**
 * Makes what `npx conch chat` talks to: the tenant `local` and a channel of the text app. What is there already stays.
 * It has no provider, so that the built-in demo answers until the first is added (SPEC 14.4).
 */
export async function prepareLocalTenant(
  tenants: Tenants,
  secrets: SecretBox,
  known: Credentials['chat'] | undefined,
): Promise<Credentials['chat']> {
  const tenant = await tenants.load(TENANT);
  if (!tenant) await tenants.putSettings(TENANT, {});
  if (known && tenant?.channels.some(({ id }) => id === known.channelId)) return known;
  const secret = randomBytes(32).toString('base64url');
  const id = channelIdOf({ tenant: TENANT, own: randomBytes(16).toString('base64url') });
  const sealed = await secrets.seal(secret, { tenant: TENANT, owner: id });
  const channel: ChannelRecord = {
    ...{ id, name: 'chat', app: 'text', access: 'owner', owner: TERMINAL_PERSON },
    ...{ settings: {}, secrets: { secret: sealed } },
  };
  await tenants.putChannel(TENANT, channel);
  return { channelId: id, secret };
}
