import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { openChannelById } from '../lib/conversations/scene.ts';
import type { Channel, Granted, WorkspaceApp } from '../lib/ports/chatApp.ts';
import { INSTALL_MS, installState, isInstallState, storeInstallation } from '../lib/tenants/install.ts';
import type { HttpFunction } from './functionUrl.ts';
import { type PageText, page } from './installPages.ts';
import { pagesOf } from './pages.ts';
import type { AppDeps } from './webhook.ts';

/** Bound to this host: a page elsewhere cannot set it. */
const COOKIE = '__Host-conch-install';
const COOKIE_RULES = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/**
 * The way into another workspace, for an app that may be in many: `GET /<app>/<channelId>/install` leads to the app's page,
 * which leads back to `GET /<app>/<channelId>/oauth`.
 * @param publicUrl where the app reaches these; absent: where the request came to.
 */
export function installPages(deps: AppDeps, publicUrl: string | undefined): HttpFunction {
  return pagesOf(deps.app, (hono) => addRoutes(hono, deps, publicUrl));
}

function addRoutes(hono: Hono, deps: AppDeps, publicUrl: string | undefined): void {
  const { app } = deps;
  const { workspaces } = app;
  if (!workspaces) return;
  const found = async (c: Context) => {
    const channel = await openChannelById(deps, app, c.req.param('channel') ?? '', { fresh: true });
    return channel && workspaces.has(channel) ? channel : undefined;
  };
  const rootOf = (c: Context) => (publicUrl ?? new URL(c.req.url).origin).replace(/\/+$/, '');
  const pathOf = ({ id }: Channel) => `/${app.name}/${id}`;
  hono.get(`/${app.name}/:channel/install`, async (c) => {
    const channel = await found(c);
    if (!channel) return page(404, NOTHING);
    const nonce = randomBytes(32).toString('base64url');
    const state = installState(channel, nonce, deps.runtime.now());
    const redirectUrl = `${rootOf(c)}${pathOf(channel)}/oauth`;
    c.header('Set-Cookie', `${COOKIE}=${nonce}; ${COOKIE_RULES}; Max-Age=${INSTALL_MS / 1000}`);
    c.header('Cache-Control', 'no-store');
    return c.redirect(workspaces.authorizeUrl(channel, { state, redirectUrl }));
  });
  hono.get(`/${app.name}/:channel/oauth`, async (c) => {
    const channel = await found(c);
    if (!channel) return page(404, NOTHING);
    const redirectUrl = `${rootOf(c)}${pathOf(channel)}/oauth`;
    const { status, text } = await callback(c, deps, workspaces, channel, redirectUrl);
    // What was begun is over, however it ended.
    const headers = { 'set-cookie': `${COOKIE}=; ${COOKIE_RULES}; Max-Age=0` };
    const again = { href: `${rootOf(c)}${pathOf(channel)}/install`, label: 'Start again' };
    return page(status, status === 200 ? text : { ...text, again }, headers);
  });
}

const NOTHING: PageText = {
  title: 'There is nothing to install here',
  words: 'The link may be incomplete, or the bot is gone. Ask whoever gave you the link for a new one.',
};
const DECLINED: PageText = { title: 'Nothing was installed', words: 'You can close this page, or start again.' };
const TOO_OLD: PageText = {
  title: 'This did not work',
  words: 'The installation took longer than ten minutes, or was begun in another browser. Nothing was installed.',
};
const NOT_TAKEN: PageText = {
  title: 'This did not work',
  words: 'The installation was not confirmed. Nothing was installed. If it happens again, tell whoever runs the bot.',
};

/** What comes back from the app's page: a code for a token, or why there is none. */
async function callback(
  c: Context,
  deps: AppDeps,
  workspaces: WorkspaceApp,
  channel: Channel,
  redirectUrl: string,
): Promise<{ status: 200 | 400 | 502; text: PageText }> {
  const { runtime, logger, app } = deps;
  if (!isInstallState(channel, nonceOf(c), c.req.query('state') ?? '', runtime.now())) {
    logger.warn('install.refused', { app: app.name, reason: 'state' });
    return { status: 400, text: TOO_OLD };
  }
  const code = c.req.query('code');
  if (!code) return { status: 400, text: DECLINED };
  const granted = await workspaces.exchange(channel, code, redirectUrl);
  if (!granted.ok || !(await store(deps, channel, granted))) {
    logger.warn('install.refused', { app: app.name, reason: granted.ok ? 'the channel is gone' : granted.reason });
    return { status: 502, text: NOT_TAKEN };
  }
  logger.info('install.done', { app: app.name, workspace: granted.workspace });
  const { name = 'your workspace', bot } = granted;
  const title = `Installed in ${name}`;
  const words = `Find ${bot.username ?? 'the bot'} there and send it a message. ${app.limits.commandPrefix}help lists what it can do. You can close this page.`;
  return { status: 200, text: { title, words } };
}

function nonceOf(c: Context): string | undefined {
  const cookies = (c.req.header('cookie') ?? '').split(/;\s*/);
  return cookies.find((one) => one.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1);
}

/** False if the channel was deleted or became another app meanwhile: then nothing stays. */
async function store(deps: AppDeps, channel: Channel, granted: Granted): Promise<boolean> {
  const { installations } = deps.stores;
  const { workspace, mark } = await storeInstallation({ ...deps, installations }, channel, granted);
  const now = await openChannelById(deps, deps.app, channel.id, { fresh: true });
  if (now && JSON.stringify(now.settings) === JSON.stringify(channel.settings)) return true;
  await installations.remove({ tenant: channel.tenant, channelId: channel.id }, workspace, mark);
  return false;
}
