import type { ModelFacts } from '../commands/command.ts';
import type { Actions } from '../ports/actions.ts';
import type { Capacity, UsageCounters } from '../ports/capacity.ts';
import type { Channel, ChatApp } from '../ports/chatApp.ts';
import type { OpenEngine, ResolveModel } from '../ports/engine.ts';
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
