import { slack } from '../lib/channels/slack/index.ts';
import { installRoutes } from './install.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, handle, webhookApp } from './webhook.ts';

const settings = readSettings(process.env);
const deps = await createWebhookDeps(settings, () => slack);
const app = webhookApp(deps, deps.app);
installRoutes(app, deps, settings.CONCH_PUBLIC_URL);

/** `POST /slack/<channelId>`, and the way into another workspace, behind a Function URL. */
export const handler = handle(app);
