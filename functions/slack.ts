import { slack } from '../lib/channels/slack/index.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, webhookFunction } from './webhook.ts';

const settings = readSettings(process.env);
const deps = await createWebhookDeps(settings, () => slack);

/** `POST /slack/<channelId>`, and the way into another workspace, behind a Function URL. */
export const handler = webhookFunction(deps, deps.app, async () => {
  const { installPages } = await import('./install.ts');
  return installPages(deps, settings.CONCH_PUBLIC_URL);
});
