import type { ModelFacts } from '../commands/command.ts';
import type { Actions } from '../ports/actions.ts';
import type { Capacity, UsageCounters } from '../ports/capacity.ts';
import type { Channel, ChatApp } from '../ports/chatApp.ts';
import type { OpenEngine, ResolveModel } from '../ports/engine.ts';
import type { Installations } from '../ports/installations.ts';
import type { Log } from '../ports/log.ts';
import type { HintQueue } from '../ports/queue.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';
import type { AppName, ChannelRecord, ProviderRecord, TenantRecord, Tenants } from '../ports/tenants.ts';
import type { OpenTools } from '../ports/tools.ts';

/** Tenants from memory, as long as their version stands (DESIGN 2). */
export interface Directory {
  get(tenant: string): Promise<TenantRecord | undefined>;
  /** The tenant at this version or newer. */
  fresh(tenant: string, version: number): Promise<TenantRecord | undefined>;
}

/** The installations of apps that may be in many workspaces. */
export interface Workspaces {
  installations: Installations;
  /** An opened channel as it is in one of these workspaces; undefined if the app is installed in none of them. */
  open: (app: ChatApp, channel: Channel, workspaces: readonly string[]) => Promise<Channel | undefined>;
}

/** What the webhooks need. */
export interface WebhookDeps {
  log: Log;
  queue: HintQueue;
  actions: Actions;
  tenants: Tenants;
  directory: Directory;
  usage: UsageCounters;
  /** The chat apps that this process serves. */
  apps: Partial<Record<AppName, ChatApp>>;
  /** The channel with its secrets opened. */
  openChannel: (tenant: string, record: ChannelRecord) => Promise<Channel>;
  /** The workspaces that apps are installed in; absent where no app can be in many, then nothing is done for such a one. */
  workspaces?: Workspaces;
  resolveModel: ResolveModel;
  /** The models that a tenant's chats may pick from. */
  listModels: (providers: readonly ProviderRecord[]) => ModelFacts[];
  runtime: Runtime;
  logger: Logger;
}

/** What the worker needs besides. */
export interface WorkerDeps extends WebhookDeps {
  capacity: Capacity;
  openEngine: OpenEngine;
  openTools: OpenTools;
}
