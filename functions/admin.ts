import { handle } from 'hono/aws-lambda';
import { createAdministration } from '../lib/administration/index.ts';
import { chatApps } from '../lib/channels/index.ts';
import { checkProvider } from '../lib/providers/check.ts';
import { resolveModel } from '../lib/providers/models.ts';
import { apiRootPolicy, outwardPolicy } from '../lib/tenants/apiRoots.ts';
import { logger, runtime } from './runtime.ts';
import { createSecrets } from './secrets.ts';
import { readSettings, required } from './settings.ts';
import { createStores } from './stores.ts';
import { webhookUrls } from './webhookUrls.ts';

const settings = readSettings(process.env);
const stores = createStores(settings);

/** The administration's HTTP API, behind a Function URL. */
export const handler = handle(
  createAdministration({
    ...{ ...stores, apps: chatApps(stores.textReplies), resolveModel, checkProvider, runtime, logger },
    secrets: await createSecrets(settings),
    adminTokenHash: required(settings, 'CONCH_ADMIN_TOKEN_SHA256'),
    webhookUrl: webhookUrls(settings),
    apiRootAllowed: apiRootPolicy(settings.CONCH_API_ROOTS),
    outwardFault: outwardPolicy(settings.CONCH_API_ROOTS),
  }),
);
