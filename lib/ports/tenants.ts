import type { Address, ChatOptions, OptionsChange } from '../domain/events.ts';
import type { Access, Standing } from '../domain/tenancy.ts';
import type { Told } from '../domain/told.ts';

/** The chat apps. Each is `lib/channels/<app>/` and `functions/<app>.ts`; what is deployed and run locally follows from here. */
export const APP_NAMES = ['telegram', 'discord', 'slack', 'teams', 'text'] as const;
export type AppName = (typeof APP_NAMES)[number];

/** One bot of one tenant on one chat app. Values of `secrets` are sealed for (tenant, channel id). */
export interface ChannelRecord {
  /** `<tenant>.<random>`; stands in the webhook's path. */
  id: string;
  name: string;
  app: AppName;
  access: Access;
  /** The app's own settings that are no secrets, such as `callbackUrl`. */
  settings: Record<string, string>;
  secrets: Record<string, string>;
  apiRoot?: string;
  /** What the app told about the bot when it was connected, such as its id and user name. */
  bot?: Record<string, string>;
  /** The person who owns the channel (SPEC 9.2). */
  owner?: string;
  /** Where they claimed it, in an app whose people's ids lead to no chat: there they are asked about strangers (SPEC 9.3). */
  ownerChat?: Address;
  claim?: Claim;
  /** Why the app refuses this channel for good (a revoked token), in words for an administrator. */
  refused?: string;
}

/** A one-time code with which a person becomes the channel's owner. Only its hash is kept. */
export interface Claim {
  codeHash: string;
  expiresAt: number;
  usedBy?: string;
}

/** A person who tries to claim a channel with a code. `now` in ms; `chat`: what becomes `ownerChat`. */
export interface ClaimAttempt {
  codeHash: string;
  person: string;
  now: number;
  chat?: Address;
}

export type EngineName = 'demo' | 'anthropic' | 'openai' | 'google' | 'bedrock' | 'openai-compatible';

export interface ModelRecord {
  id: string;
  /** Tokens. */
  contextWindow?: number;
  maxOutputTokens?: number;
  /** Whether it can use tools; default true. */
  tools?: boolean;
}

/** A provider of a tenant: an engine, a key, models. Secrets are sealed for (tenant, `providerOwner`). */
export interface ProviderRecord {
  name: string;
  engine: EngineName;
  baseURL?: string;
  models: ModelRecord[];
  settings: Record<string, string>;
  secrets: Record<string, string>;
  /** When it was added, ms; putting it again leaves that. Absent: by code that does not note it. */
  addedAt?: number;
  /** The names of those that were there when it was added, in their order. Absent: not noted. */
  behind?: string[];
}

/**
 * Providers as a tenant has them (SPEC 14.4): the one that was added first stands first, and of those that were added
 * at the same time the first by name. One without a time stands before the first that was added behind it, or that does not
 * say behind whom; else it was put during a roll-out, by code that notes no time, and is the last.
 */
export function inOrderAdded(providers: Iterable<ProviderRecord>): ProviderRecord[] {
  const byName = [...providers].sort((a, b) => (a.name < b.name ? -1 : 1));
  let left = byName.filter(({ addedAt }) => addedAt === undefined);
  const timed = byName.filter(({ addedAt }) => addedAt !== undefined);
  timed.sort((a, b) => (a.addedAt ?? 0) - (b.addedAt ?? 0));
  const placed = timed.flatMap((one) => {
    const before = left.filter(({ name }) => one.behind?.includes(name) ?? true);
    left = left.filter((other) => !before.includes(other));
    const { behind = [] } = one;
    return [...before.sort((a, b) => behind.indexOf(a.name) - behind.indexOf(b.name)), one];
  });
  return [...placed, ...left];
}

/** Defaults of a tenant for new chats, and its limits. */
export interface TenantSettings extends ChatOptions {
  /** How many turns of the tenant may run at once. */
  turnsAtOnce?: number;
  /** Turns, and tokens read and written, of the whole tenant in a day, UTC (SPEC 9.4). 0: none. */
  turnsPerDay?: number;
  tokensPerDay?: number;
  /** What one turn may take: steps, tokens read and written, minutes. */
  stepsPerTurn?: number;
  tokensPerTurn?: number;
  minutesPerTurn?: number;
  /** `provider/model` that answers where the chosen one fails; it never becomes the choice. */
  fallback?: string;
  /** Messages of one person in a minute, at most `MESSAGES_PER_MINUTE`. */
  messagesPerMinute?: number;
}

/** A custom command of a tenant (SPEC 10.1). */
export interface CommandRecord {
  /** `[a-z0-9_-]{1,32}` */
  name: string;
  description: string;
  /** One that is not enabled is unlisted, and unknown when typed. */
  enabled: boolean;
  argumentHint?: string;
  who: 'people' | 'owner';
  template: string;
}

/** A skill of a tenant (SPEC 10.4). */
export interface SkillRecord {
  name: string;
  description: string;
  text: string;
}

/** A prompt of a tool server, which people use as a command (SPEC 4.4). */
export interface PromptRecord {
  /** The server's own name of it. */
  name: string;
  description?: string;
  arguments: { name: string; description?: string; required?: true }[];
}

/** A tool server of a tenant, spoken to by MCP. Values of `headers` are sealed for (tenant, `toolServerOwner`). */
export interface ToolServerRecord {
  /** `[a-z0-9][a-z0-9-]{0,31}` */
  name: string;
  url: string;
  headers: Record<string, string>;
  /** The server's own names of the only tools that are offered; absent: all. */
  only?: string[];
  /** As it said when it was last asked and answered. */
  prompts: PromptRecord[];
  /** Names what its catalog holds. Absent: it has never answered. */
  catalog?: string;
  /** Another one whenever it is put, so that what was asked of it before is not noted after. */
  revision: string;
}

/** A tool as its server describes it. Its marks are what the server says, and no more than that. */
export interface ToolRecord {
  name: string;
  title?: string;
  description: string;
  inputSchema: Record<string, unknown>;
  readOnly: boolean;
  destructive?: boolean;
}

/** What a tool server offers, and how it went when it was last asked. It may be large, so it is no part of `load`. */
export interface ToolCatalog {
  /** The server's address at that time: what is from another one serves no more. */
  url: string;
  mark: string;
  tools: ToolRecord[];
  /** Tools that are not offered, each with the reason in words. */
  leftOut: { name: string; reason: string }[];
  /** The version of MCP that it speaks. */
  protocol?: string;
  /** When it was last asked, and when it last answered, ms. */
  askedAt: number;
  answeredAt?: number;
  /** Why it did not answer when it was last asked, in words for an administrator. */
  fault?: string;
}

/** What is known of a channel's own menu. */
export interface MenuRecord {
  /** Tells what is published from anything else; or a mark of its own while somebody publishes. */
  mark: string;
  /** Commands that the app's menu has no room for, each with the reason in words. */
  leftOut: { name: string; reason: string }[];
}

/** How far a round over all tenants' menus has come. */
export interface MenuRound {
  /** Names what the registry's own part of the menus is made of. */
  mark: string;
  /** The tenant that it came to last, in the order of names. */
  behind?: string;
  ended?: true;
}

/** All of a tenant that a webhook or a worker needs, loaded by one Query. */
export interface TenantRecord {
  tenant: string;
  version: number;
  settings: TenantSettings;
  channels: ChannelRecord[];
  /** In the order of `inOrderAdded`. */
  providers: ProviderRecord[];
  commands: CommandRecord[];
  skills: SkillRecord[];
  toolServers: ToolServerRecord[];
}

/** A person on a channel, as far as access goes. */
export interface PersonRecord {
  id: string;
  name?: string;
  status: Standing;
  /** When they were let in or put out, ms: what was decided earlier never replaces it. */
  at?: number;
  /** When they were let in last, ms: what they were told before as a stranger is told again after it. */
  letInAt?: number;
  /** How they asked: by which of their deliveries, from where, when (ms), and whether the owner has been shown it. */
  asked?: { key: string; to: Address; at?: number; shown?: true };
}

/** What is known of a person on a channel. */
export interface KnownPerson {
  person?: PersonRecord;
  /** It may be there without a record, and expires then. */
  told?: Told;
}

/**
 * Tenants, their things, and people. Every write of what `load` gives raises the tenant's version, after it; people are
 * always read fresh.
 */
export interface Tenants {
  /** The whole tenant, strongly consistent; undefined if it does not exist. */
  load(tenant: string): Promise<TenantRecord | undefined>;
  /** The tenant's version now, 0 if there is none. Strongly consistent. */
  version(tenant: string): Promise<number>;
  /** The tenant's version now (0 if there is none) and one person, in one request. Strongly consistent. */
  check(tenant: string, channelId: string, person: string): Promise<{ version: number } & KnownPerson>;
  list(): AsyncIterable<string>;
  putSettings(tenant: string, settings: TenantSettings): Promise<void>;
  /**
   * Changes these settings of a tenant that exists and leaves the others, also those that somebody else puts meanwhile.
   * @param at when it was decided, ms: what is no newer than the newest change changes nothing, so that it may be repeated.
   */
  changeSettings(tenant: string, change: OptionsChange, at: number): Promise<void>;
  putChannel(tenant: string, channel: ChannelRecord): Promise<void>;
  putProvider(tenant: string, provider: ProviderRecord): Promise<void>;
  deleteChannel(tenant: string, name: string): Promise<void>;
  deleteProvider(tenant: string, name: string): Promise<void>;
  putCommand(tenant: string, command: CommandRecord): Promise<void>;
  deleteCommand(tenant: string, name: string): Promise<void>;
  putSkill(tenant: string, skill: SkillRecord): Promise<void>;
  deleteSkill(tenant: string, name: string): Promise<void>;
  putToolServer(tenant: string, server: ToolServerRecord): Promise<void>;
  /**
   * Puts what a tool server said, if it is still the one that was asked: one conditional write.
   * @returns false if another revision stands there, or none.
   */
  noteToolServer(tenant: string, server: ToolServerRecord): Promise<boolean>;
  /** Its catalog goes with it. */
  deleteToolServer(tenant: string, name: string): Promise<void>;
  /** What a tool server offers, strongly consistent. It is no part of `load`. */
  toolCatalog(tenant: string, server: string): Promise<ToolCatalog | undefined>;
  putToolCatalog(tenant: string, server: string, catalog: ToolCatalog): Promise<void>;
  /** What is known of a channel's menu, strongly consistent. It goes with the channel and is no part of `load`. */
  menu(tenant: string, channelName: string): Promise<MenuRecord | undefined>;
  /**
   * Notes a channel's menu: one conditional write.
   * @param expected the mark that has to stand there still; absent: whatever stands there.
   * @returns false if another mark stands there.
   */
  noteMenu(tenant: string, channelName: string, menu: MenuRecord, expected?: string): Promise<boolean>;
  /** The newest round over all tenants' menus, strongly consistent. */
  menuRound(): Promise<MenuRound | undefined>;
  noteMenuRound(round: MenuRound): Promise<void>;
  /** Deletes all that `load` gives, menus, catalogs of tools and people; the version stays and is raised. */
  deleteTenant(tenant: string): Promise<void>;
  /**
   * Puts a person, unless what is there was decided later (`at`); a record without a time replaces none that has one. What
   * they were told stays.
   */
  putPerson(tenant: string, channelId: string, person: PersonRecord): Promise<void>;
  /**
   * Adds a person of whom nothing is known, or no more than that they wrote: one conditional write.
   * @returns the record that is there then.
   */
  addPerson(tenant: string, channelId: string, person: PersonRecord): Promise<PersonRecord>;
  /**
   * Puts what a person was told in the place of what was read: one conditional write.
   * @param before as it was read, in one read.
   * @returns false if it is another one by now, or a record of them has come or gone.
   */
  noteTold(tenant: string, channelId: string, person: string, told: Told, before: KnownPerson): Promise<boolean>;
  /** What they were told goes with them. */
  deletePerson(tenant: string, channelId: string, person: string): Promise<void>;
  people(tenant: string, channelId: string): AsyncIterable<PersonRecord>;
  /**
   * Makes `person` the owner if the channel's claim has this hash, has not expired at `now` and was not used by somebody
   * else. One conditional update, so that of two people one wins; the same person may repeat it.
   */
  claim(tenant: string, channelName: string, attempt: ClaimAttempt): Promise<'claimed' | 'wrong' | 'used' | 'expired'>;
}
