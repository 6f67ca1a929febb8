import type { Channel, ChatApp } from '../ports/chatApp.ts';
import type { WebhookDeps } from './deps.ts';

type Deps = Pick<WebhookDeps, 'workspaces' | 'logger'>;

/**
 * The channel as it is in the workspace that this chat lies in; undefined if the app is not installed there any more. In an
 * app of one workspace it is the channel. @param channel as it is opened, in no workspace.
 */
export async function channelFor(
  deps: Deps,
  app: ChatApp,
  channel: Channel,
  chat: string,
): Promise<Channel | undefined> {
  if (!app.workspaces?.has(channel)) return channel;
  const workspace = app.workspaces.ofChat(chat);
  return workspace === undefined ? undefined : deps.workspaces?.open(app, channel, [workspace]);
}

/**
 * The channel as it is in the workspace that a verified request is from; undefined if the app is not installed there: then
 * nothing is done, and nobody is answered with another workspace's token.
 */
export async function channelOfRequest(
  deps: Deps,
  app: ChatApp,
  channel: Channel,
  body: Uint8Array,
): Promise<Channel | undefined> {
  if (!app.workspaces?.has(channel)) return channel;
  const workspaces = app.workspaces.ofRequest(body);
  if (workspaces === undefined) return channel;
  const installed = await deps.workspaces?.open(app, channel, workspaces);
  if (!installed) deps.logger.warn('webhook.not-installed', { app: app.name, workspaces: workspaces.join(' ') });
  return installed;
}

/**
 * Removes an installation that the app says is over. It may say so late, when the app has been installed again: so it is
 * asked whether it takes the token still, and only what was there before the answer is removed.
 * @throws if the app does not say; it then delivers again.
 */
export async function uninstall(
  deps: Deps,
  app: ChatApp,
  channel: Channel,
  workspaces: readonly string[],
): Promise<void> {
  const { installations } = deps.workspaces ?? {};
  if (!installations || !app.workspaces?.has(channel)) return;
  const scope = { tenant: channel.tenant, channelId: channel.id };
  for (const workspace of workspaces) {
    const before = await installations.get(scope, workspace);
    if (!before || (await takesToken(deps, app, channel, workspace))) continue;
    const now = await installations.get(scope, workspace);
    // A token that was renewed meanwhile is one of the same installation.
    if (now?.installedAt === before.installedAt && (await installations.remove(scope, workspace, now.mark))) {
      deps.logger.info('installation.removed', { app: app.name, workspace });
    }
  }
}

/** @throws if it is not known. */
async function takesToken(deps: Deps, app: ChatApp, channel: Channel, workspace: string): Promise<boolean> {
  // A copy: what is remembered of the channel may be older than the installation.
  const installed = await deps.workspaces?.open(app, { ...channel }, [workspace]);
  if (!installed) return false;
  const alive = await app.workspaces?.isAlive(installed);
  if (alive === undefined) throw new Error('The app does not say whether it is installed');
  return alive;
}
