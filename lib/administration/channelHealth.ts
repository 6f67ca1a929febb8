import type { Channel, ChatApp } from '../ports/chatApp.ts';
import { type Finding, fine, note, problem } from '../ports/health.ts';
import type { InstallationRecord } from '../ports/installations.ts';
import type { ChannelRecord, TenantRecord } from '../ports/tenants.ts';
import { channelOpener } from '../tenants/channels.ts';
import { installationOpener } from '../tenants/installations.ts';
import type { AdministrationDeps } from './deps.ts';
import { menuState } from './menus.ts';

/** So many workspaces are asked about; more would take longer than somebody waits. */
const WORKSPACES = 25;

/** What there is to say of a channel. */
export async function channelFindings(
  deps: AdministrationDeps,
  tenant: TenantRecord,
  record: ChannelRecord,
): Promise<Finding[]> {
  const app = deps.apps[record.app];
  if (!app) return [problem('This app is not served here.', 'Deploy a version that does, or delete the channel.')];
  try {
    const channel = await channelOpener(deps.secrets)(tenant.tenant, record);
    const webhookUrl = deps.webhookUrl(record.app, record.id);
    const [own, menu, workspaces] = await Promise.all([
      app.check(channel, { webhookUrl, now: deps.runtime.now() }),
      app.limits.menuless ? [] : menuFindings(deps, tenant, channel),
      app.workspaces?.has(channel) ? workspaceFindings(deps, app, channel, webhookUrl) : [],
    ]);
    return [...own, ...menu, ...workspaces, ownerFinding(deps, app, tenant.tenant, record)];
  } catch (error) {
    deps.logger.error('administration.health.failed', error, { tenant: tenant.tenant, channel: record.name });
    return [problem('It could not be looked at; the log says more.', 'Put the channel again, with its secrets.')];
  }
}

async function menuFindings(deps: AdministrationDeps, tenant: TenantRecord, channel: Channel): Promise<Finding[]> {
  const { published, leftOut } = await menuState(deps, channel, tenant);
  const again = 'Put the channel again with the fields that it has: it is published then.';
  if (!published) return [problem('Its command menu is not the one of today.', again)];
  if (leftOut.length === 0) return [fine('Its command menu is published.')];
  const names = leftOut.map(({ name }) => name).join(', ');
  return [note(`Its command menu has no room or form for: ${names}.`, 'They work when they are typed.')];
}

function ownerFinding(
  { runtime }: AdministrationDeps,
  { limits }: ChatApp,
  tenant: string,
  { name, owner, claim, access }: ChannelRecord,
): Finding {
  if (owner !== undefined) return fine(`It belongs to ${owner}.`);
  const isOpen = claim !== undefined && claim.usedBy === undefined && claim.expiresAt > runtime.now();
  const fresh = `Put the channel again for a new code (channel ${name} of ${tenant}), and send the bot ${limits.commandPrefix}start CODE.`;
  if (isOpen) {
    const todo = `Send the bot ${limits.commandPrefix}start with the code that “put channel” has printed.`;
    return note('It belongs to nobody yet.', todo);
  }
  if (access === 'anyone') return note('It belongs to nobody: it answers everybody, and nobody can change it.', fresh);
  return problem('It belongs to nobody, and the code to claim it is over: it answers nobody new.', fresh);
}

/** The workspaces that the app is installed in: whether it takes the token of each. */
async function workspaceFindings(
  deps: AdministrationDeps,
  app: ChatApp,
  channel: Channel,
  webhookUrl: string | undefined,
): Promise<Finding[]> {
  const scope = { tenant: channel.tenant, channelId: channel.id };
  const all = await Array.fromAsync(deps.installations.list(scope));
  const install = `Open ${webhookUrl ?? 'the channel’s address'}/install`;
  if (all.length === 0) return [note('It is installed in no workspace.', `${install} and choose one.`)];
  const asked = await Promise.all(
    all.slice(0, WORKSPACES).map((one) => workspaceFinding(deps, app, channel, one, install)),
  );
  const rest = all.length - asked.length;
  return rest > 0 ? [...asked, note(`${rest} more workspaces were not looked at.`)] : asked;
}

async function workspaceFinding(
  deps: AdministrationDeps,
  app: ChatApp,
  channel: Channel,
  { workspace, name = workspace, refused }: InstallationRecord,
  install: string,
): Promise<Finding> {
  const todo = `${install} and choose ${name} again.`;
  if (refused !== undefined) return problem(`Workspace ${name}: ${refused}`, todo);
  const runtime = { ...deps.runtime, sleep: async () => undefined };
  const open = installationOpener({ ...deps, runtime });
  const installed = await open(app, channel, [workspace]).catch(() => undefined);
  const alive = installed && (await app.workspaces?.isAlive(installed));
  if (alive) return fine(`It is installed in ${name}.`);
  if (alive === false) return problem(`The app was removed from ${name}.`, todo);
  return note(`Whether it is still installed in ${name} could not be asked.`, 'Try again in a minute.');
}
