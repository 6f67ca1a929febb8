import { claimHash } from '../conversations/access.ts';
import { DAY_MS } from '../domain/limits.ts';
import { channelIdOf } from '../domain/place.ts';
import type { Access } from '../domain/tenancy.ts';
import type { Channel, ChatApp, FieldFault } from '../ports/chatApp.ts';
import { openAll, sealAll } from '../ports/secrets.ts';
import type { ChannelRecord } from '../ports/tenants.ts';
import type { AdministrationDeps } from './deps.ts';
import { publishChannel } from './menus.ts';
import { personFault } from './people.ts';
import { notFound, Problem } from './problem.ts';
import { webhookPath } from './views.ts';

/** How long a claim code can be used (SPEC 9.2). */
const CLAIM_LIFETIME_MS = DAY_MS;
/** Of letters and digits: 131 bits. */
const RANDOM_CHARS = 22;

/** A channel as an administrator asks for it. */
export interface WantedChannel {
  app: ChatApp;
  access: Access;
  apiRoot?: string;
  owner?: string;
  /** Makes a claim code though the channel has an owner; whoever uses it takes the owner's place. */
  reclaim: boolean;
  secrets: Record<string, string>;
  settings: Record<string, string>;
}

const NOTHING_CHANGED = 'Nothing was changed.';

/** Where it goes. */
interface Target {
  tenant: string;
  name: string;
}

/**
 * Connects a channel: asks the app about the credentials, stores the channel, then registers the webhook and the menu.
 * Nothing is stored if the app does not know the credentials; what fails behind that is mended by doing it again.
 */
export async function connect(deps: AdministrationDeps, target: Target, wanted: WantedChannel) {
  await storedChannel(deps, target, wanted.app);
  const identity = await wanted.app.identify(channelOf(target, 'new', wanted, wanted.secrets));
  if (!identity.ok) throw unidentified(identity, wanted);
  // Read again: that took a while, and somebody may have claimed the channel meanwhile.
  const before = await storedChannel(deps, target, wanted.app);
  const id = before?.id ?? channelIdOf({ tenant: target.tenant, own: randomText(deps, RANDOM_CHARS) });
  const secrets = { ...(await generatedSecrets(deps, target, wanted.app, before)), ...wanted.secrets };
  const channel = { ...channelOf(target, id, wanted, secrets), bot: identity.bot };
  const owner = wanted.owner ?? ownerBefore(wanted, before);
  const code = owner === undefined || wanted.reclaim ? randomText(deps, RANDOM_CHARS) : undefined;
  const ownerChat = owner !== undefined && owner === before?.owner ? before.ownerChat : undefined;
  const ownership = { owner, ownerChat, claim: claimOf(deps, code, before) };
  const record = await recordOf(deps, channel, wanted.access, ownership);
  await store(deps, target.tenant, record, before);
  const webhookUrl = deps.webhookUrl(wanted.app.name, channel.id);
  await setUp(deps, wanted.app, channel, webhookUrl);
  deps.logger.info('administration.channel.put', { tenant: target.tenant, channel: target.name, app: wanted.app.name });
  return {
    ...answer(wanted.app, channel, record, { code, webhookUrl }),
    ...installUrl(deps, wanted.app, channel),
  };
}

/** @throws {Problem} if the tenant is gone, or the channel belongs to another app. */
async function storedChannel(
  deps: AdministrationDeps,
  { tenant, name }: Target,
  app: ChatApp,
): Promise<ChannelRecord | undefined> {
  const record = await deps.tenants.load(tenant);
  if (!record) throw notFound(`There is no tenant “${tenant}”.`);
  const channel = record.channels.find((one) => one.name === name);
  if (!channel || channel.app === app.name) return channel;
  const detail = `The channel “${name}” belongs to the app “${channel.app}”. Delete it first, or choose another name.`;
  throw new Problem('conflict', detail);
}

function channelOf(target: Target, id: string, wanted: WantedChannel, secrets: Record<string, string>): Channel {
  const { app, settings, apiRoot } = wanted;
  return { ...target, id, app: app.name, settings, secrets, ...(apiRoot === undefined ? {} : { apiRoot }) };
}

/** The secrets that Conch makes itself: those that the channel has already, else fresh ones. */
async function generatedSecrets(
  deps: AdministrationDeps,
  { tenant }: Target,
  app: ChatApp,
  before: ChannelRecord | undefined,
): Promise<Record<string, string>> {
  const fresh = app.fields.generate((bytes) => randomText(deps, Math.ceil((bytes * 4) / 3)));
  if (!before) return fresh;
  const made = Object.entries(before.secrets).filter(([name]) => Object.hasOwn(fresh, name));
  return { ...fresh, ...(await openAll(deps.secrets, Object.fromEntries(made), { tenant, owner: before.id })) };
}

/**
 * Stores the channel. Workspaces that have installed another app have to install this one: what they gave is removed, and
 * once more behind the change, for one that was being installed.
 */
async function store(
  deps: AdministrationDeps,
  tenant: string,
  record: ChannelRecord,
  before: ChannelRecord | undefined,
): Promise<void> {
  const isOther = before !== undefined && JSON.stringify(before.settings) !== JSON.stringify(record.settings);
  const scope = { tenant, channelId: record.id };
  if (isOther) await deps.installations.erase(scope);
  await deps.tenants.putChannel(tenant, record);
  if (isOther) await deps.installations.erase(scope);
}

/** The owner stays, unless people are named in another way from now on. */
function ownerBefore({ app, settings }: WantedChannel, before: ChannelRecord | undefined): string | undefined {
  const owner = before?.owner;
  return owner === undefined || personFault(app, owner, settings) !== undefined ? undefined : owner;
}

/** The claim to store: of a fresh code, else what there is, as long as it was used. */
function claimOf(deps: AdministrationDeps, code: string | undefined, before: ChannelRecord | undefined) {
  if (code !== undefined) return { codeHash: claimHash(code), expiresAt: deps.runtime.now() + CLAIM_LIFETIME_MS };
  return before?.claim?.usedBy === undefined ? undefined : before.claim;
}

async function recordOf(
  deps: AdministrationDeps,
  channel: Channel,
  access: Access,
  { owner, ownerChat, claim }: { [K in 'owner' | 'ownerChat' | 'claim']: ChannelRecord[K] | undefined },
): Promise<ChannelRecord> {
  const { tenant, secrets, ...rest } = channel;
  return {
    ...{ ...rest, access, secrets: await sealAll(deps.secrets, secrets, { tenant, owner: channel.id }) },
    ...(owner === undefined ? {} : { owner }),
    ...(ownerChat ? { ownerChat } : {}),
    ...(claim ? { claim } : {}),
  };
}

/** Registers the webhook with the app, if there is a public address, and the menu. */
async function setUp(deps: AdministrationDeps, app: ChatApp, channel: Channel, url: string | undefined): Promise<void> {
  const then = 'The channel is stored; put it again to finish.';
  if (url !== undefined) {
    const registered = await app.register(channel, url);
    if (!registered.ok) throw refused('app-not-ready', registered, then);
  }
  const published = await publishChannel(deps, channel);
  if (!published.ok) throw refused('app-not-ready', published, then);
  await app.clearOldMenus?.(channel);
}

/**
 * Why a channel was not connected. Where the app could not be asked (`passing`) no credential is at fault: an address
 * of the channel's own may be.
 */
function unidentified(fault: FieldFault, { settings }: WantedChannel): Problem {
  if (!fault.passing) return refused('app-refused', fault, NOTHING_CHANGED);
  const isAddress = fault.field === 'apiRoot' || URL.canParse(settings[fault.field] ?? '');
  if (isAddress) return refused('bad-fields', fault, NOTHING_CHANGED);
  return new Problem('app-not-asked', `${fault.reason} ${NOTHING_CHANGED}`);
}

function refused(
  kind: 'app-refused' | 'app-not-ready' | 'bad-fields',
  { field, reason }: FieldFault,
  then: string,
): Problem {
  return new Problem(kind, `${reason} ${then}`, [{ field, reason }]);
}

function answer(
  app: ChatApp,
  channel: Channel,
  { name, access, owner, claim, bot }: ChannelRecord,
  { code, webhookUrl }: { code: string | undefined; webhookUrl: string | undefined },
) {
  const registered = webhookUrl !== undefined;
  const link = code === undefined ? undefined : app.claimLink(channel, code);
  return {
    ...{ id: channel.id, name, app: app.name, access, webhookPath: webhookPath(channel), registered, bot: bot ?? {} },
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(owner === undefined ? {} : { owner }),
    ...(code === undefined
      ? {}
      : {
          claimCode: code,
          claimCommand: `${app.limits.commandPrefix}start ${code}`,
          claimExpiresAt: claim?.expiresAt,
        }),
    ...(link === undefined ? {} : { claimLink: link }),
  };
}

/** Where somebody installs the app in a workspace, if it may be in many. */
function installUrl(deps: AdministrationDeps, app: ChatApp, channel: Channel): { installUrl?: string } {
  const webhook = app.workspaces?.has(channel) ? deps.webhookUrl(app.name, channel.id) : undefined;
  return webhook === undefined ? {} : { installUrl: `${webhook}/install` };
}

/** Letters and digits only: good in a link, in a path, and to copy by a double click. */
function randomText({ runtime }: AdministrationDeps, length: number): string {
  let text = '';
  while (text.length < length) text += runtime.newId().replace(/[^A-Za-z0-9]/g, '');
  return text.slice(0, length);
}
