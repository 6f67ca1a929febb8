import { createHmac, timingSafeEqual } from 'node:crypto';
import { MINUTE_MS } from '../domain/limits.ts';
import type { Channel, Granted } from '../ports/chatApp.ts';
import type { InstallationRecord } from '../ports/installations.ts';
import { type InstallationDeps, sealSecrets } from './installations.ts';

/** How long somebody may take to allow an installation. */
export const INSTALL_MS = 10 * MINUTE_MS;

/** What nothing else is signed with. */
const PURPOSE = 'conch: the state of an installation';

/**
 * The state that goes through the app's page and comes back: it says that this browser began it, lately, for this
 * channel. It is signed with the app's own secret and holds none.
 * @param nonce what the browser keeps in a cookie. @param now ms.
 */
export function installState(channel: Channel, nonce: string, now: number): string {
  const expiresAt = now + INSTALL_MS;
  return `${expiresAt}.${macOf(channel, nonce, expiresAt)}`;
}

/** Whether a state came from `installState` for this channel and this browser, and has not ended. Fails closed. */
export function isInstallState(channel: Channel, nonce: string | undefined, state: string, now: number): boolean {
  const [, digits, mac = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(state) ?? [];
  if (!nonce || digits === undefined) return false;
  const expiresAt = Number(digits);
  if (expiresAt <= now || expiresAt > now + INSTALL_MS) return false;
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(channel, nonce, expiresAt)));
}

function macOf({ id, secrets }: Channel, nonce: string, expiresAt: number): string {
  const key = createHmac('sha256', secrets.clientSecret ?? '')
    .update(PURPOSE)
    .digest();
  return createHmac('sha256', key)
    .update(JSON.stringify([id, nonce, expiresAt]))
    .digest('base64url');
}

/** Keeps what an installation gave, its secrets sealed, in the place of one that was there. */
export async function storeInstallation(
  deps: Pick<InstallationDeps, 'installations' | 'secrets' | 'runtime'>,
  channel: Channel,
  { workspace, name, bot, secrets, expiresInMs }: Granted,
): Promise<InstallationRecord> {
  const now = deps.runtime.now();
  const record: InstallationRecord = {
    ...{ workspace, bot, mark: deps.runtime.newId(), installedAt: now },
    secrets: await sealSecrets(deps, channel, workspace, secrets),
    ...(name === undefined ? {} : { name }),
    ...(expiresInMs === undefined ? {} : { expiresAt: now + expiresInMs }),
  };
  await deps.installations.put({ tenant: channel.tenant, channelId: channel.id }, record);
  return record;
}
