import { createText } from '../lib/channels/text/index.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, webhookFunction } from './webhook.ts';

const deps = await createWebhookDeps(readSettings(process.env), ({ textReplies }) => createText(textReplies));

/** `POST /text/<channelId>`, and what was answered, behind a Function URL. */
export const handler = webhookFunction(deps, deps.app, async () => {
  const { replyPages } = await import('./textReplies.ts');
  return replyPages(deps);
});
