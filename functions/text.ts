import { createText } from '../lib/channels/text/index.ts';
import { isChatName } from '../lib/channels/text/read.ts';
import { openChannelById } from '../lib/conversations/scene.ts';
import { readSettings } from './settings.ts';
import { createWebhookDeps, handle, requestOf, webhookApp } from './webhook.ts';

const deps = await createWebhookDeps(readSettings(process.env), ({ textReplies }) => createText(textReplies));
const app = webhookApp(deps, deps.app);

/** Replies in one answer; a client goes on from the last one's `seq`. */
const PAGE = 100;

/** `GET /text/<channelId>/replies?chat=&after=`, signed like a webhook with an empty body. */
app.get('/text/:channel/replies', async (c) => {
  const channelId = c.req.param('channel');
  const channel = await openChannelById(deps, deps.app, channelId, { fresh: true });
  if (!channel) return c.json({ message: 'There is no text channel here.' }, 404);
  const verified = await deps.app.verify(await requestOf(c), channel, deps.runtime.now());
  if (!verified.ok) return c.json({ message: 'The signature is missing or wrong.' }, 401);
  const chat = c.req.query('chat');
  const after = Number(c.req.query('after') ?? 0);
  if (!chat || !isChatName(chat) || !Number.isSafeInteger(after) || after < 0) {
    return c.json({ message: 'Give the chat, and after as a whole number of 0 or more.' }, 400);
  }
  const where = { tenant: channel.tenant, channelId, chat };
  return c.json(await deps.stores.textReplies.after(where, after, PAGE));
});

/** The text app, behind a Function URL. */
export const handler = handle(app);
