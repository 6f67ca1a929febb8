import { slack } from '../lib/channels/slack/index.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, handle, webhookApp } from './webhook.ts';

const deps = await createWebhookDeps(readSettings(process.env), () => slack);

/** `POST /slack/<channelId>`, behind a Function URL. */
export const handler = handle(webhookApp(deps, deps.app));
