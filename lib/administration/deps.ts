import type { Actions } from '../ports/actions.ts';
import type { UsageCounters } from '../ports/capacity.ts';
import type { ChatApp } from '../ports/chatApp.ts';
import type { ResolveModel } from '../ports/engine.ts';
import type { Finding } from '../ports/health.ts';
import type { Installations } from '../ports/installations.ts';
import type { Log } from '../ports/log.ts';
import type { Logger, Runtime } from '../ports/runtime.ts';
import type { SecretBox } from '../ports/secrets.ts';
import type { AppName, ProviderRecord, Tenants } from '../ports/tenants.ts';
import type { TextReplyEraser } from '../ports/textReplies.ts';

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
  /** Whether a provider takes its key. @param model that new chats use of it, if they do. Never throws. */
  checkProvider: (
    tenant: string,
    provider: ProviderRecord,
    apiKey: string | undefined,
    model?: string,
  ) => Promise<Finding>;
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
}
