import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { type AdministrationDeps, createAdministration } from '../lib/administration/index.ts';
import { followDeployment } from '../lib/administration/menuRound.ts';
import { chatApps } from '../lib/channels/index.ts';
import { MINUTE_MS } from '../lib/domain/limits.ts';
import type { RefreshTools } from '../lib/ports/tools.ts';
import { listModelsOf } from '../lib/providers/modelList.ts';
import { resolveModel } from '../lib/providers/models.ts';
import { apiRootPolicy, outwardGuard, outwardPolicy } from '../lib/tenants/apiRoots.ts';
import type { HttpAnswer } from './functionUrl.ts';
import { functionOf } from './hono.ts';
import { logger, runtime } from './runtime.ts';
import { createSecrets } from './secrets.ts';
import { readSettings, required } from './settings.ts';
import { createStores } from './stores.ts';
import { webhookUrls } from './webhookUrls.ts';

const settings = readSettings(process.env);
const stores = createStores(settings);
const secrets = await createSecrets(settings);
const guard = outwardGuard(settings.CONCH_API_ROOTS);

/** What speaks to tool servers is imported when it is used. */
const refreshTools: RefreshTools = async (...args) => {
  const { toolRefresher } = await import('../lib/tools/refresh.ts');
  return toolRefresher({ secrets, guard, tenants: stores.tenants, runtime, logger })(...args);
};

const deps: AdministrationDeps = {
  ...{ ...stores, apps: chatApps(stores.textReplies), resolveModel, runtime, logger },
  ...{ secrets, refreshTools, toolServerFault: guard.fault, listModels: listModelsOf },
  adminTokenHash: required(settings, 'CONCH_ADMIN_TOKEN_SHA256'),
  webhookUrl: webhookUrls(settings),
  apiRootAllowed: apiRootPolicy(settings.CONCH_API_ROOTS),
  outwardFault: outwardPolicy(settings.CONCH_API_ROOTS),
};
const http = functionOf(createAdministration(deps));

/** How long one run publishes menus, well under the function's time. */
const FOLLOW_MS = 2 * MINUTE_MS;

/** What the schedule calls with; a request at the Function URL never looks like it. */
interface Scheduled {
  follow: 'deployment';
}

/** Publishes menus that a deployment has changed. */
function followed(): Promise<{ tenants: number }> {
  return followDeployment(deps, runtime.now() + FOLLOW_MS);
}

/** The administration's HTTP API, behind a Function URL; and, on its schedule, what a deployment has to follow up. */
export function handler(event: Scheduled): Promise<{ tenants: number }>;
export function handler(event: LambdaFunctionURLEvent): Promise<HttpAnswer>;
export async function handler(event: Scheduled | LambdaFunctionURLEvent): Promise<HttpAnswer | { tenants: number }> {
  return 'follow' in event ? followed() : http(event);
}
