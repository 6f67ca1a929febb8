import type { Context } from 'hono';
import { isChatName } from '../lib/channels/text/read.ts';
import { openChannelById } from '../lib/conversations/scene.ts';
import type { HttpFunction } from './functionUrl.ts';
import { pagesOf } from './pages.ts';
import type { AppDeps } from './webhook.ts';

/** Replies in one answer; a client goes on from the last one's `seq`. */
const PAGE = 100;

/** `GET /text/<channelId>/replies?chat=&after=`, signed like a webhook with an empty body. */
export function replyPages(deps: AppDeps): HttpFunction {
  return pagesOf(deps.app, (hono) => {
    hono.get('/text/:channel/replies', (c) => replies(c, c.req.param('channel'), deps));
  });
}

async function replies(c: Context, channelId: string, deps: AppDeps): Promise<Response> {
  const channel = await openChannelById(deps, deps.app, channelId, { fresh: true });
  if (!channel) return c.json({ message: 'There is no text channel here.' }, 404);
  const request = { headers: c.req.header(), body: new Uint8Array(await c.req.arrayBuffer()) };
  const verified = await deps.app.verify(request, channel, deps.runtime.now());
  if (!verified.ok) return c.json({ message: 'The signature is missing or wrong.' }, 401);
  const chat = c.req.query('chat');
  const after = Number(c.req.query('after') ?? 0);
  if (!chat || !isChatName(chat) || !Number.isSafeInteger(after) || after < 0) {
    return c.json({ message: 'Give the chat, and after as a whole number of 0 or more.' }, 400);
  }
  const where = { tenant: channel.tenant, channelId, chat };
  return c.json(await deps.stores.textReplies.after(where, after, PAGE));
}
