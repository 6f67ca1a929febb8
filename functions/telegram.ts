import { telegram } from '../lib/channels/telegram/index.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, webhookFunction } from './webhook.ts';

const deps = await createWebhookDeps(readSettings(process.env), () => telegram);

/** `POST /telegram/<channelId>`, behind a Function URL. */
export const handler = webhookFunction(deps, deps.app);
