import { withChange } from '../../../lib/domain/changedSettings.ts';
import type { OptionsChange } from '../../../lib/domain/events.ts';
import type { Told } from '../../../lib/domain/told.ts';
import {
  type ChannelRecord,
  type CommandRecord,
  inOrderAdded,
  type KnownPerson,
  type MenuRecord,
  type MenuRound,
  type PersonRecord,
  type ProviderRecord,
  type SkillRecord,
  type TenantSettings,
  type Tenants,
  type ToolCatalog,
  type ToolServerRecord,
} from '../../../lib/ports/tenants.ts';

interface Kept {
  settings?: TenantSettings | undefined;
  settingsAt?: number;
  channels: Map<string, ChannelRecord>;
  providers: Map<string, ProviderRecord>;
  commands: Map<string, CommandRecord>;
  skills: Map<string, SkillRecord>;
  toolServers: Map<string, ToolServerRecord>;
  catalogs: Map<string, ToolCatalog>;
  menus: Map<string, MenuRecord>;
  people: Map<string, Map<string, PersonRecord>>;
  told: Map<string, Map<string, Told>>;
  version: number;
}

/** Tenants and people in memory. */
export class MemoryTenants implements Tenants {
  readonly #tenants = new Map<string, Kept>();
  #round: MenuRound | undefined;

  #of(tenant: string): Kept {
    const kept = this.#tenants.get(tenant) ?? {
      ...{ channels: new Map(), providers: new Map(), people: new Map(), told: new Map(), version: 0 },
      ...{ commands: new Map(), skills: new Map(), menus: new Map() },
      ...{ toolServers: new Map(), catalogs: new Map() },
    };
    this.#tenants.set(tenant, kept);
    return kept;
  }

  async load(tenant: string) {
    const kept = this.#tenants.get(tenant);
    if (!kept?.settings && !kept?.channels.size && !kept?.providers.size) return undefined;
    const { version, settings = {}, channels, providers, commands, skills, toolServers } = kept;
    return structuredClone({
      ...{ tenant, version, settings },
      ...{ channels: [...channels.values()], providers: inOrderAdded(providers.values()) },
      ...{ commands: byName(commands), skills: byName(skills), toolServers: byName(toolServers) },
    });
  }

  async version(tenant: string) {
    return this.#tenants.get(tenant)?.version ?? 0;
  }

  async check(tenant: string, channelId: string, person: string) {
    return { version: this.#tenants.get(tenant)?.version ?? 0, ...this.#known(tenant, channelId, person) };
  }

  #known(tenant: string, channelId: string, id: string): KnownPerson {
    const kept = this.#tenants.get(tenant);
    const person = kept?.people.get(channelId)?.get(id);
    const told = kept?.told.get(channelId)?.get(id);
    return { ...(person ? { person: { ...person } } : {}), ...(told ? { told: structuredClone(told) } : {}) };
  }

  async *list(): AsyncGenerator<string> {
    for (const tenant of this.#tenants.keys()) if (await this.load(tenant)) yield tenant;
  }

  async putSettings(tenant: string, settings: TenantSettings): Promise<void> {
    this.#change(tenant, (kept) => {
      kept.settings = structuredClone(settings);
    });
  }

  async changeSettings(tenant: string, change: OptionsChange, at: number): Promise<void> {
    this.#change(tenant, (kept) => {
      if (!kept.settings || (kept.settingsAt ?? -1) >= at) return;
      kept.settings = withChange(kept.settings, change);
      kept.settingsAt = at;
    });
  }

  /** A claim that was used since the channel was read stays used, and its owner stays. */
  async putChannel(tenant: string, channel: ChannelRecord): Promise<void> {
    this.#change(tenant, ({ channels }) => {
      const before = channels.get(channel.name);
      const isSame = before?.claim?.usedBy !== undefined && before.claim.codeHash === channel.claim?.codeHash;
      const { owner, ownerChat, claim } = before ?? {};
      const claimed = isSame ? { owner, claim, ...(ownerChat ? { ownerChat } : {}) } : {};
      channels.set(channel.name, structuredClone({ ...channel, ...claimed } as ChannelRecord));
    });
  }

  async putProvider(tenant: string, provider: ProviderRecord): Promise<void> {
    this.#change(tenant, ({ providers }) => providers.set(provider.name, structuredClone(provider)));
  }

  async deleteChannel(tenant: string, name: string): Promise<void> {
    this.#change(tenant, ({ channels, people, told, menus }) => {
      for (const known of [people, told]) known.delete(channels.get(name)?.id ?? '');
      channels.delete(name);
      menus.delete(name);
    });
  }

  async deleteProvider(tenant: string, name: string): Promise<void> {
    this.#change(tenant, ({ providers }) => providers.delete(name));
  }

  async putCommand(tenant: string, command: CommandRecord): Promise<void> {
    this.#change(tenant, ({ commands }) => commands.set(command.name, structuredClone(command)));
  }

  async deleteCommand(tenant: string, name: string): Promise<void> {
    this.#change(tenant, ({ commands }) => commands.delete(name));
  }

  async putSkill(tenant: string, skill: SkillRecord): Promise<void> {
    this.#change(tenant, ({ skills }) => skills.set(skill.name, structuredClone(skill)));
  }

  async deleteSkill(tenant: string, name: string): Promise<void> {
    this.#change(tenant, ({ skills }) => skills.delete(name));
  }

  async putToolServer(tenant: string, server: ToolServerRecord): Promise<void> {
    this.#change(tenant, ({ toolServers }) => toolServers.set(server.name, structuredClone(server)));
  }

  async noteToolServer(tenant: string, server: ToolServerRecord): Promise<boolean> {
    if (this.#of(tenant).toolServers.get(server.name)?.revision !== server.revision) return false;
    await this.putToolServer(tenant, server);
    return true;
  }

  async deleteToolServer(tenant: string, name: string): Promise<void> {
    this.#change(tenant, ({ toolServers, catalogs }) => {
      toolServers.delete(name);
      catalogs.delete(name);
    });
  }

  async toolCatalog(tenant: string, server: string) {
    return structuredClone(this.#tenants.get(tenant)?.catalogs.get(server));
  }

  async putToolCatalog(tenant: string, server: string, catalog: ToolCatalog): Promise<void> {
    this.#of(tenant).catalogs.set(server, structuredClone(catalog));
  }

  async menu(tenant: string, channelName: string) {
    return structuredClone(this.#tenants.get(tenant)?.menus.get(channelName));
  }

  async noteMenu(tenant: string, channelName: string, menu: MenuRecord, expected?: string) {
    const { menus } = this.#of(tenant);
    if (expected !== undefined && menus.get(channelName)?.mark !== expected) return false;
    menus.set(channelName, structuredClone(menu));
    return true;
  }

  async menuRound() {
    return this.#round;
  }

  async noteMenuRound(round: MenuRound): Promise<void> {
    this.#round = round;
  }

  async deleteTenant(tenant: string): Promise<void> {
    this.#change(tenant, (kept) => {
      kept.settings = undefined;
      const { channels, providers, people, told, commands, skills, menus, toolServers, catalogs } = kept;
      for (const things of [channels, providers, people, told, commands, skills, menus]) things.clear();
      for (const things of [toolServers, catalogs]) things.clear();
    });
  }

  #change(tenant: string, change: (kept: Kept) => unknown): void {
    const kept = this.#of(tenant);
    change(kept);
    kept.version++;
  }

  async putPerson(tenant: string, channelId: string, person: PersonRecord): Promise<void> {
    const { people } = this.#of(tenant);
    if ((people.get(channelId)?.get(person.id)?.at ?? 0) > (person.at ?? 0)) return;
    people.set(channelId, (people.get(channelId) ?? new Map()).set(person.id, structuredClone(person)));
  }

  async addPerson(tenant: string, channelId: string, person: PersonRecord): Promise<PersonRecord> {
    const there = this.#of(tenant).people.get(channelId)?.get(person.id);
    if (there && (there.status !== 'wrote' || person.status === 'wrote')) return structuredClone(there);
    await this.putPerson(tenant, channelId, person);
    return structuredClone(person);
  }

  async noteTold(tenant: string, channelId: string, person: string, told: Told, before: KnownPerson) {
    const there = this.#known(tenant, channelId, person);
    const isSame = JSON.stringify(there.told) === JSON.stringify(before.told);
    if (!isSame || (there.person === undefined) !== (before.person === undefined)) return false;
    const all = this.#of(tenant).told;
    all.set(channelId, (all.get(channelId) ?? new Map()).set(person, structuredClone(told)));
    return true;
  }

  async deletePerson(tenant: string, channelId: string, person: string): Promise<void> {
    const { people, told } = this.#of(tenant);
    for (const known of [people, told]) known.get(channelId)?.delete(person);
  }

  async *people(tenant: string, channelId: string): AsyncGenerator<PersonRecord> {
    yield* [...(this.#tenants.get(tenant)?.people.get(channelId)?.values() ?? [])];
  }

  async claim(tenant: string, channelName: string, attempt: Parameters<Tenants['claim']>[2]) {
    const channel = this.#tenants.get(tenant)?.channels.get(channelName);
    const claim = channel?.claim;
    if (!channel || claim?.codeHash !== attempt.codeHash) return 'wrong';
    if (claim.usedBy !== undefined && claim.usedBy !== attempt.person) return 'used';
    if (claim.expiresAt <= attempt.now) return 'expired';
    const { person: usedBy } = attempt;
    const { ownerChat: _before, ...unowned } = channel;
    const chat = attempt.chat ? { ownerChat: attempt.chat } : {};
    this.#change(tenant, ({ channels }) =>
      channels.set(channelName, { ...unowned, owner: usedBy, claim: { ...claim, usedBy }, ...chat }),
    );
    return 'claimed';
  }
}

function byName<T extends { name: string }>(things: ReadonlyMap<string, T>): T[] {
  return [...things.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
