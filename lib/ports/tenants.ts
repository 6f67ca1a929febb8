import type { ChatOptions } from '../domain/events.ts';
import type { Access } from '../domain/tenancy.ts';

export type AppName = 'telegram' | 'text';

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

export type EngineName = 'demo' | 'anthropic' | 'openai' | 'google' | 'bedrock' | 'openai-compatible';

export interface ModelRecord {
  id: string;
  /** Tokens. */
  contextWindow?: number;
  maxOutputTokens?: number;
}

/** A provider of a tenant: an engine, a key, models. Secrets are sealed for (tenant, `provider#NAME`). */
export interface ProviderRecord {
  name: string;
  engine: EngineName;
  baseURL?: string;
  models: ModelRecord[];
  settings: Record<string, string>;
  secrets: Record<string, string>;
}

/** Defaults of a tenant for new chats, and its limits. */
export interface TenantSettings extends ChatOptions {
  /** How many turns of the tenant may run at once. */
  turnsAtOnce?: number;
}

/** All of a tenant that a webhook or a worker needs, loaded by one Query. */
export interface TenantRecord {
  tenant: string;
  version: number;
  settings: TenantSettings;
  channels: ChannelRecord[];
  providers: ProviderRecord[];
}

/** A person on a channel, as far as access goes. */
export interface PersonRecord {
  id: string;
  name?: string;
  status: 'let-in' | 'put-out' | 'asked';
}

/**
 * Tenants, their things, and people. Every write of what `load` gives raises the tenant's version, after it; people are
 * always read fresh.
 */
export interface Tenants {
  /** The whole tenant, strongly consistent; undefined if it does not exist. */
  load(tenant: string): Promise<TenantRecord | undefined>;
  /** The tenant's version now (0 if there is none) and one person, in one request. Strongly consistent. */
  check(tenant: string, channelId: string, person: string): Promise<{ version: number; person?: PersonRecord }>;
  list(): AsyncIterable<string>;
  putSettings(tenant: string, settings: TenantSettings): Promise<void>;
  putChannel(tenant: string, channel: ChannelRecord): Promise<void>;
  putProvider(tenant: string, provider: ProviderRecord): Promise<void>;
  deleteChannel(tenant: string, name: string): Promise<void>;
  deleteProvider(tenant: string, name: string): Promise<void>;
  /** Deletes the tenant's settings, channels, providers and people; the version stays and is raised. */
  deleteTenant(tenant: string): Promise<void>;
  putPerson(tenant: string, channelId: string, person: PersonRecord): Promise<void>;
  deletePerson(tenant: string, channelId: string, person: string): Promise<void>;
  people(tenant: string, channelId: string): AsyncIterable<PersonRecord>;
  /**
   * Makes `person` the owner if the channel's claim has this hash, has not expired at `now` and was not used by somebody
   * else. One conditional update, so that of two people one wins; the same person may repeat it.
   */
  claim(
    tenant: string,
    channelName: string,
    attempt: { codeHash: string; person: string; now: number },
  ): Promise<'claimed' | 'wrong' | 'used' | 'expired'>;
}
