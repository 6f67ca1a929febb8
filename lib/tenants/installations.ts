import { ConchError } from '../domain/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/limits.ts';
import type { Channel, ChatApp, Granted } from '../ports/chatApp.ts';
import { type InstallationRecord, type Installations, installationOwner } from '../ports/installations.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';
import { openAll, type SecretBox, sealAll } from '../ports/secrets.ts';

/**
 * A token is renewed so long before its end: a turn that begins with it may take all of a worker's time, and whoever dies
 * with a new one in hand leaves the old one to go on with.
 */
export const RENEW_BEFORE_MS = 2 * HOUR_MS;
/** Whoever renews has this time for it; then somebody else tries. The call itself is given up after 10 s. */
const RENEWING_MS = 30_000;
/** A token that ends sooner is no token to begin a turn with. */
const LEFT_MS = 20 * MINUTE_MS;
const LOOK_AGAIN_MS = 250;
const LOOKS = 8;

export interface InstallationDeps {
  installations: Installations;
  secrets: SecretBox;
  runtime: Pick<Runtime, 'now' | 'newId' | 'sleep'>;
  logger: Logger;
}

/**
 * The channel as it is in one of these workspaces, the first in which the app is installed: its bot there, and a token
 * that lives. Undefined if it is installed in none. The same object comes back as long as it is as it was.
 * @param channel as the channel is opened; what it is in a workspace is kept as long as that.
 */
export type OpenInstallation = (
  app: ChatApp,
  channel: Channel,
  workspaces: readonly string[],
) => Promise<Channel | undefined>;

interface Opened {
  channel: Channel;
  expiresAt?: number | undefined;
}

/** Opens installations, remembered for as long as the opened channel: adding and removing one makes that a new one. */
export function installationOpener(deps: InstallationDeps): OpenInstallation {
  const remembered = new WeakMap<Channel, Map<string, Promise<Opened | undefined>>>();
  const one = async (app: ChatApp, channel: Channel, workspace: string): Promise<Channel | undefined> => {
    const known = remembered.get(channel) ?? new Map<string, Promise<Opened | undefined>>();
    remembered.set(channel, known);
    const before = known.get(workspace);
    const opened = await before?.catch(() => undefined);
    if (opened && !isDue(opened, deps.runtime.now())) return opened.channel;
    // Of several who find it due at once, one asks.
    const asked = known.get(workspace);
    const fresh = asked !== undefined && asked !== before ? asked : open(deps, app, channel, workspace);
    known.set(workspace, fresh);
    const found = await fresh.catch((error: unknown) => {
      known.delete(workspace);
      throw error;
    });
    if (!found) known.delete(workspace);
    return found?.channel;
  };
  return async (app, channel, workspaces) => {
    for (const workspace of workspaces) {
      const opened = await one(app, channel, workspace);
      if (opened) return opened;
    }
    return undefined;
  };
}

function isDue({ expiresAt }: { expiresAt?: number | undefined }, now: number): boolean {
  return expiresAt !== undefined && expiresAt - now < RENEW_BEFORE_MS;
}

async function open(
  deps: InstallationDeps,
  app: ChatApp,
  channel: Channel,
  workspace: string,
): Promise<Opened | undefined> {
  const record = await alive(deps, app, channel, workspace);
  if (!record) return undefined;
  const { bot, expiresAt } = record;
  const secrets = { ...channel.secrets, ...(await openSecrets(deps, channel, record)) };
  return { channel: { ...channel, bot, secrets, workspace }, expiresAt };
}

function openSecrets({ secrets }: InstallationDeps, { tenant, id }: Channel, record: InstallationRecord) {
  return openAll(secrets, record.secrets, { tenant, owner: installationOwner(id, record.workspace) });
}

/** The secrets of an installation as they are kept. */
export function sealSecrets(
  { secrets }: Pick<InstallationDeps, 'secrets'>,
  { tenant, id }: Channel,
  workspace: string,
  plain: Granted['secrets'],
): Promise<Record<string, string>> {
  return sealAll(secrets, plain, { tenant, owner: installationOwner(id, workspace) });
}

/**
 * The installation with a token that lives; undefined if there is none, or if it has to be installed again.
 * @throws {ConchError} `token-not-renewed` if its token has ended and a new one is not to be had now.
 */
async function alive(
  deps: InstallationDeps,
  app: ChatApp,
  channel: Channel,
  workspace: string,
): Promise<InstallationRecord | undefined> {
  const scope = { tenant: channel.tenant, channelId: channel.id };
  for (let look = 1; ; look++) {
    const stored = await deps.installations.get(scope, workspace);
    if (!stored) return undefined;
    const record = isDue(stored, deps.runtime.now()) ? await renewed(deps, app, channel, stored) : stored;
    if (!record) return undefined;
    const leftMs = (record.expiresAt ?? Number.POSITIVE_INFINITY) - deps.runtime.now();
    if (leftMs > LEFT_MS || (record.refused !== undefined && leftMs > 0)) return record;
    if (record.refused !== undefined) {
      deps.logger.warn('installation.over', { workspace, reason: record.refused });
      return undefined;
    }
    if (look === LOOKS) throw new ConchError('token-not-renewed', 'A token is not renewed yet', { retryable: true });
    await deps.runtime.sleep(LOOK_AGAIN_MS);
  }
}

/**
 * The installation with a new token, or as it is where somebody else renews it, or where that does not work now. A refresh
 * token works once. So who renews first writes a lease, on the condition that the record is as it was read:
 *
 * - of two processes one wins, and the other goes on with the token that there is, or waits for the new one;
 * - a crash before the app was asked costs the lease's time;
 * - a crash behind the app's answer loses the new token; the next one asks with the same refresh token, which the app
 *   takes for a short while. Where it no longer does, the token that there is goes on to its end, and the record says that
 *   the app has to be installed again;
 * - who comes back after the lease finds another mark, and leaves what stands there.
 */
async function renewed(
  deps: InstallationDeps,
  app: ChatApp,
  channel: Channel,
  record: InstallationRecord,
): Promise<InstallationRecord | undefined> {
  const { installations, runtime, logger } = deps;
  const { workspace } = record;
  const now = runtime.now();
  if (record.refused !== undefined || (record.refreshingUntil ?? 0) > now || !app.workspaces) return record;
  const scope = { tenant: channel.tenant, channelId: channel.id };
  const lease = { ...record, mark: runtime.newId(), refreshingUntil: now + RENEWING_MS };
  if (!(await installations.replace(scope, lease, record.mark))) return installations.get(scope, workspace);
  const answer = await app.workspaces.renew(channel, await openSecrets(deps, channel, record));
  if (answer.kind === 'unknown') {
    logger.warn('installation.not-renewed', { workspace, reason: answer.reason });
    return lease;
  }
  const { refreshingUntil: _over, expiresAt: _old, ...rest } = lease;
  const next: InstallationRecord =
    answer.kind === 'refused'
      ? { ...lease, mark: runtime.newId(), refused: answer.reason }
      : {
          ...{ ...rest, mark: runtime.newId() },
          secrets: await sealSecrets(deps, channel, workspace, answer.secrets),
          ...(answer.expiresInMs === undefined ? {} : { expiresAt: now + answer.expiresInMs }),
        };
  if (answer.kind === 'refused') logger.warn('installation.refused', { workspace, reason: answer.reason });
  else logger.info('installation.renewed', { workspace });
  return (await installations.replace(scope, next, lease.mark)) ? next : installations.get(scope, workspace);
}
