import { discord } from '../lib/channels/discord/index.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, webhookFunction } from './webhook.ts';

const deps = await createWebhookDeps(readSettings(process.env), () => discord);

/** `POST /discord/<channelId>`, behind a Function URL. */
export const handler = webhookFunction(deps, deps.app);
