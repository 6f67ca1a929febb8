import type { ConchError } from '../domain/errors.ts';
import type { OptionsChange } from '../domain/events.ts';
import type { Told } from '../domain/told.ts';
import type { Logger } from '../ports/runtime.ts';
import type {
  ChannelRecord,
  ClaimAttempt,
  CommandRecord,
  KnownPerson,
  MenuRecord,
  MenuRound,
  PersonRecord,
  ProviderRecord,
  SkillRecord,
  TenantRecord,
  TenantSettings,
  Tenants,
  ToolCatalog,
  ToolServerRecord,
} from '../ports/tenants.ts';
import type { Item } from './calls.ts';
import { toChannel } from './channelItems.ts';
import { channelItemKey, claimChannelItem, putChannelItem } from './channels.ts';
import { menuItem, toMenu } from './customItems.ts';
import { deleteItems, json, keyOf, partition, readJson, readNumber, readText, text } from './items.ts';
import {
  commandKey,
  keyPart,
  MENU_ROUND_KEY,
  menuKey,
  peopleKey,
  providerKey,
  SETTINGS_KEY,
  skillKey,
  TENANTS_KEY,
  tenantKey,
  toolCatalogsKey,
  toolServerKey,
  versionKey,
} from './keys.ts';
import { deleteItem, getItem, getItems, putItem, putItemIf } from './oneItem.ts';
import { addPersonItem, noteToldItem, personItemKey, putPersonItem, toKnown, toPerson } from './people.ts';
import { changeSettingsItem, putSettingsItem } from './settingsItem.ts';
import type { Table } from './table.ts';
import { toTenant } from './tenantItems.ts';
import { putCatalogItem, readCatalogItem, toolServerItem } from './toolServers.ts';
import { raiseVersion, versionItemKey } from './version.ts';

const menuItemKey = (tenant: string, channelName: string) => keyOf(tenantKey(tenant), menuKey(channelName));

const MENU_ROUND = keyOf(MENU_ROUND_KEY, 'round');

const versionOf = (item: Item | undefined) => (item ? readNumber(item, 'version') : 0);

/** Tenants in DynamoDB (DESIGN 2). A write is the item, then the version; a crash in between heals as caches expire. */
export class DynamoTenants implements Tenants {
  readonly #table: Table;
  readonly #logger: Pick<Logger, 'error'> | undefined;

  /** @param logger hears of records that are passed over since they do not fit. */
  constructor(table: Table, logger?: Pick<Logger, 'error'>) {
    this.#table = table;
    this.#logger = logger;
  }

  /**
   * The version is read first. A writer changes the item, then raises the version: so what is read after the version
   * holds at least what that version stands for. Read the other way round, old data could be kept under a new version.
   */
  async load(tenant: string): Promise<TenantRecord | undefined> {
    const version = await this.version(tenant);
    const items = await Array.fromAsync(partition(this.#table, tenantKey(tenant)));
    const onBroken = (error: ConchError) => this.#logger?.error('tenant.broken-record', error, { tenant });
    return toTenant(tenant, version, items, onBroken);
  }

  async version(tenant: string): Promise<number> {
    return versionOf(await getItem(this.#table, versionItemKey(tenant)));
  }

  async check(tenant: string, channelId: string, person: string): Promise<{ version: number } & KnownPerson> {
    const keys = [versionItemKey(tenant), personItemKey(tenant, channelId, person)];
    const found = await getItems(this.#table, keys);
    const version = versionOf(found.find((item) => readText(item, 'pk') === versionKey(tenant)));
    const known = found.find((item) => readText(item, 'pk') === peopleKey(tenant, channelId));
    return known ? { version, ...toKnown(known) } : { version };
  }

  async *list(): AsyncGenerator<string> {
    for await (const item of partition(this.#table, TENANTS_KEY)) yield readJson(item, 'tenant') as string;
  }

  /** The list's entry comes first and goes last, so that no tenant exists that is not listed. */
  async putSettings(tenant: string, settings: TenantSettings): Promise<void> {
    await putItem(this.#table, { ...keyOf(TENANTS_KEY, keyPart(tenant)), tenant: json(tenant) });
    await putSettingsItem(this.#table, tenant, settings);
    await raiseVersion(this.#table, tenant);
  }

  async changeSettings(tenant: string, change: OptionsChange, at: number): Promise<void> {
    await changeSettingsItem(this.#table, tenant, change, at);
    await raiseVersion(this.#table, tenant);
  }

  /** A claim that was made since `channel` was read is kept, with the owner that it made. */
  async putChannel(tenant: string, channel: ChannelRecord): Promise<void> {
    await putChannelItem(this.#table, tenant, channel);
    await raiseVersion(this.#table, tenant);
  }

  async putProvider(tenant: string, provider: ProviderRecord): Promise<void> {
    await this.#putThing(tenant, providerKey(provider.name), provider);
  }

  async putCommand(tenant: string, command: CommandRecord): Promise<void> {
    await this.#putThing(tenant, commandKey(command.name), command);
  }

  async putSkill(tenant: string, skill: SkillRecord): Promise<void> {
    await this.#putThing(tenant, skillKey(skill.name), skill);
  }

  /** The channel's people go first: after a crash in between, the channel is still there to be deleted again. */
  async deleteChannel(tenant: string, name: string): Promise<void> {
    const item = await getItem(this.#table, channelItemKey(tenant, name));
    if (item) await this.#deletePeople(tenant, toChannel(item).id);
    await deleteItem(this.#table, menuItemKey(tenant, name));
    await deleteItem(this.#table, channelItemKey(tenant, name));
    await raiseVersion(this.#table, tenant);
  }

  async deleteProvider(tenant: string, name: string): Promise<void> {
    await this.#deleteThing(tenant, providerKey(name));
  }

  async deleteCommand(tenant: string, name: string): Promise<void> {
    await this.#deleteThing(tenant, commandKey(name));
  }

  async deleteSkill(tenant: string, name: string): Promise<void> {
    await this.#deleteThing(tenant, skillKey(name));
  }

  async putToolServer(tenant: string, server: ToolServerRecord): Promise<void> {
    await putItem(this.#table, { ...keyOf(tenantKey(tenant), toolServerKey(server.name)), ...toolServerItem(server) });
    await raiseVersion(this.#table, tenant);
  }

  async noteToolServer(tenant: string, server: ToolServerRecord): Promise<boolean> {
    const Item = { ...keyOf(tenantKey(tenant), toolServerKey(server.name)), ...toolServerItem(server) };
    const noted = await putItemIf(this.#table, Item, 'revision = :revision', { ':revision': text(server.revision) });
    if (noted) await raiseVersion(this.#table, tenant);
    return noted;
  }

  /** The catalog goes first: after a crash in between, the server is still there to be deleted again. */
  async deleteToolServer(tenant: string, name: string): Promise<void> {
    await deleteItem(this.#table, keyOf(toolCatalogsKey(tenant), keyPart(name)));
    await this.#deleteThing(tenant, toolServerKey(name));
  }

  toolCatalog(tenant: string, server: string): Promise<ToolCatalog | undefined> {
    return readCatalogItem(this.#table, tenant, server);
  }

  putToolCatalog(tenant: string, server: string, catalog: ToolCatalog): Promise<void> {
    return putCatalogItem(this.#table, tenant, server, catalog);
  }

  async menu(tenant: string, channelName: string): Promise<MenuRecord | undefined> {
    const item = await getItem(this.#table, menuItemKey(tenant, channelName));
    return item && toMenu(item);
  }

  async noteMenu(tenant: string, channelName: string, menu: MenuRecord, expected?: string): Promise<boolean> {
    const Item = { ...menuItemKey(tenant, channelName), ...menuItem(menu) };
    if (expected !== undefined)
      return putItemIf(this.#table, Item, 'mark = :expected', { ':expected': text(expected) });
    await putItem(this.#table, Item);
    return true;
  }

  async menuRound(): Promise<MenuRound | undefined> {
    const item = await getItem(this.#table, MENU_ROUND);
    return item && (readJson(item, 'round') as MenuRound);
  }

  async noteMenuRound(round: MenuRound): Promise<void> {
    await putItem(this.#table, { ...MENU_ROUND, round: json(round) });
  }

  /** The settings go last, so that after a crash in between the tenant is still there to be deleted again. */
  async deleteTenant(tenant: string): Promise<void> {
    for await (const item of partition(this.#table, tenantKey(tenant))) {
      const sk = readText(item, 'sk');
      if (sk.startsWith('channel#')) await this.#deletePeople(tenant, toChannel(item).id);
      if (sk !== SETTINGS_KEY) await deleteItem(this.#table, keyOf(tenantKey(tenant), sk));
    }
    await deleteItems(this.#table, partition(this.#table, toolCatalogsKey(tenant)));
    await deleteItem(this.#table, keyOf(tenantKey(tenant), SETTINGS_KEY));
    await raiseVersion(this.#table, tenant);
    await deleteItem(this.#table, keyOf(TENANTS_KEY, keyPart(tenant)));
  }

  async putPerson(tenant: string, channelId: string, person: PersonRecord): Promise<void> {
    await putPersonItem(this.#table, tenant, channelId, person);
  }

  addPerson(tenant: string, channelId: string, person: PersonRecord): Promise<PersonRecord> {
    return addPersonItem(this.#table, tenant, channelId, person);
  }

  noteTold(tenant: string, channelId: string, person: string, told: Told, before: KnownPerson): Promise<boolean> {
    return noteToldItem(this.#table, personItemKey(tenant, channelId, person), told, before);
  }

  async deletePerson(tenant: string, channelId: string, person: string): Promise<void> {
    await deleteItem(this.#table, personItemKey(tenant, channelId, person));
  }

  async *people(tenant: string, channelId: string): AsyncGenerator<PersonRecord> {
    for await (const item of partition(this.#table, peopleKey(tenant, channelId))) {
      const person = toPerson(item);
      if (person) yield person;
    }
  }

  async claim(tenant: string, channelName: string, attempt: ClaimAttempt): ReturnType<Tenants['claim']> {
    const outcome = await claimChannelItem(this.#table, tenant, channelName, attempt);
    if (outcome === 'claimed') await raiseVersion(this.#table, tenant);
    return outcome;
  }

  async #deletePeople(tenant: string, channelId: string): Promise<void> {
    await deleteItems(this.#table, partition(this.#table, peopleKey(tenant, channelId)));
  }

  async #putThing(tenant: string, sortKey: string, record: object): Promise<void> {
    await putItem(this.#table, { ...keyOf(tenantKey(tenant), sortKey), record: json(record) });
    await raiseVersion(this.#table, tenant);
  }

  async #deleteThing(tenant: string, sortKey: string): Promise<void> {
    await deleteItem(this.#table, keyOf(tenantKey(tenant), sortKey));
    await raiseVersion(this.#table, tenant);
  }
}
