import type { Actions } from '../ports/actions.ts';
import type { UsageCounters } from '../ports/capacity.ts';
import type { ChatApp } from '../ports/chatApp.ts';
import type { ListModels, ResolveModel } from '../ports/engine.ts';
import type { Installations } from '../ports/installations.ts';
import type { Log } from '../ports/log.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';
import type { SecretBox } from '../ports/secrets.ts';
import type { AppName, Tenants } from '../ports/tenants.ts';
import type { TextReplyEraser } from '../ports/textReplies.ts';
import type { RefreshTools } from '../ports/tools.ts';

/** What the administration needs. */
export interface AdministrationDeps {
  tenants: Tenants;
  secrets: SecretBox;
  log: Log;
  usage: UsageCounters;
  actions: Actions;
  textReplies: TextReplyEraser;
  installations: Installations;
  /** The chat apps that a channel may be connected to. */
  apps: Partial<Record<AppName, ChatApp>>;
  resolveModel: ResolveModel;
  listModels: ListModels;
  runtime: Pick<Runtime, 'now' | 'newId'>;
  logger: Logger;
  /** Where the app reaches a channel's webhook; undefined if nowhere, then none is registered. */
  webhookUrl: (app: AppName, channelId: string) => string | undefined;
  /** SHA-256 of the admin token, in hex. */
  adminTokenHash: string;
  /** Whether a channel may have this address of its chat app's API. It is an http or https URL already. */
  apiRootAllowed: (url: URL) => boolean;
  /** Why a provider or a reply may not go to this address, in words; undefined if it may. */
  outwardFault: (url: URL) => string | undefined;
  /** Why a tool server may not have this address, in words; undefined if it may. */
  toolServerFault: (url: URL) => string | undefined;
  /** Asks a tool server what it offers, and keeps it. */
  refreshTools: RefreshTools;
}
