import { createHash } from 'node:crypto';
import { nativeMenu } from '../commands/catalog.ts';
import type { Channel, ChatApp, FieldFault, LeftOut, Menu } from '../ports/chatApp.ts';
import { openAll } from '../ports/secrets.ts';
import type { ChannelRecord, MenuRecord, TenantRecord } from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';

/** What publishing needs. */
export type MenuDeps = Pick<AdministrationDeps, 'tenants' | 'secrets' | 'apps' | 'runtime' | 'logger'>;

/** What became of one channel's menu. */
export interface MenuReport {
  channel: string;
  /** The app shows the menu as it is now. */
  published: boolean;
  /** Why it does not, in words. */
  reason?: string;
  /** Commands that are not in it, each with the reason. They work when typed. */
  leftOut?: LeftOut[];
}

/** Rounds in which somebody else may come between before this gives up. */
const ROUNDS = 5;

/** Publishes the tenant's menu in each of its channels where it differs (SPEC 12.1). A failure is in the report. */
export async function publishMenus(deps: MenuDeps, tenant: string): Promise<MenuReport[]> {
  const record = await deps.tenants.load(tenant);
  return Promise.all((record?.channels ?? []).map((channel) => report(deps, tenant, channel)));
}

async function report(deps: MenuDeps, tenant: string, record: ChannelRecord): Promise<MenuReport> {
  const { name } = record;
  try {
    const published = await publishChannel(deps, await opened(deps, tenant, record));
    if (!published.ok) return { channel: name, published: false, reason: published.reason };
    const { leftOut } = published;
    return { channel: name, published: true, ...(leftOut.length === 0 ? {} : { leftOut }) };
  } catch (error) {
    deps.logger.error('administration.menu.failed', error, { tenant, channel: name });
    return { channel: name, published: false, reason: 'It could not be published; the log says more.' };
  }
}

async function opened(deps: MenuDeps, tenant: string, record: ChannelRecord): Promise<Channel> {
  const { access: _a, owner: _o, claim: _c, refused: _r, secrets: sealed, ...rest } = record;
  return { ...rest, tenant, secrets: await openAll(deps.secrets, sealed, { tenant, owner: record.id }) };
}

type Published = { ok: true; leftOut: LeftOut[] } | FieldFault;

/**
 * Publishes one channel's menu, if it differs from what is published. Two may do so at once, each with another menu, and
 * their calls may arrive in any order. So each puts a mark of its own first, and notes what it published only if the
 * mark still stands: whoever finds another mark there publishes again, with the commands as they are then.
 */
export async function publishChannel(deps: MenuDeps, channel: Channel): Promise<Published> {
  const app = deps.apps[channel.app];
  if (!app) return { ok: false, field: 'app', reason: 'This app is not served here.' };
  for (let round = 1; round <= ROUNDS; round++) {
    const tenant = await deps.tenants.load(channel.tenant);
    const published = tenant
      ? await publishOnce(deps, app, channel, tenant, round > 1)
      : { ok: true as const, leftOut: [] };
    if (published !== 'overtaken') return published;
  }
  return { ok: false, field: 'menu', reason: 'It was being changed by others all the time. Put a command again.' };
}

/** The commands for this app's own menu. */
export function menuOf(app: ChatApp, own: TenantRecord): Menu {
  return nativeMenu(own, app.limits.deliversMessages ? {} : { withoutMessages: true });
}

async function publishOnce(
  deps: MenuDeps,
  app: ChatApp,
  channel: Channel,
  own: TenantRecord,
  evenIfSame: boolean,
): Promise<Published | 'overtaken'> {
  const { tenant, name } = channel;
  const menu = menuOf(app, own);
  const mark = markOf(channel, menu);
  const before = await deps.tenants.menu(tenant, name);
  if (before?.mark === mark && !evenIfSame) return { ok: true, leftOut: before.leftOut };
  const mine = `publishing ${deps.runtime.newId()}`;
  await deps.tenants.noteMenu(tenant, name, { mark: mine, leftOut: [] });
  const result = await app.publishMenu(channel, menu);
  if (!result.ok) return result;
  const done: MenuRecord = { mark, leftOut: result.leftOut ?? [] };
  return (await deps.tenants.noteMenu(tenant, name, done, mine)) ? { ok: true, leftOut: done.leftOut } : 'overtaken';
}

/** Whether what is published is what the tenant's commands make today. */
export async function menuState(
  deps: MenuDeps,
  channel: Channel,
  own: TenantRecord,
): Promise<{ published: boolean; leftOut: LeftOut[] }> {
  const app = deps.apps[channel.app];
  const before = await deps.tenants.menu(channel.tenant, channel.name);
  const published = app !== undefined && before?.mark === markOf(channel, menuOf(app, own));
  return { published, leftOut: before?.leftOut ?? [] };
}

/** Names this menu of this bot. */
function markOf({ bot, apiRoot }: Channel, menu: Menu): string {
  const what = JSON.stringify([bot?.id, apiRoot, menu]);
  return createHash('sha256').update(what).digest('base64url');
}
