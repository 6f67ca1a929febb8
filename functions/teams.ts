import { teams } from '../lib/channels/teams/index.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, webhookFunction } from './webhook.ts';

const deps = await createWebhookDeps(readSettings(process.env), () => teams);

/** `POST /teams/<channelId>`, behind a Function URL. */
export const handler = webhookFunction(deps, deps.app);
