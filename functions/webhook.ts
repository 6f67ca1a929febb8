import { type Context, Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { bodyLimit } from 'hono/body-limit';
import type { WebhookDeps } from '../lib/conversations/deps.ts';
import { Ingest } from '../lib/conversations/ingest.ts';
import type { ChatApp, WebhookRequest } from '../lib/ports/chatApp.ts';
import { modelFacts, resolveModel } from '../lib/providers/models.ts';
import { channelOpener } from '../lib/tenants/channels.ts';
import { logger, runtime } from './runtime.ts';
import { createSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { createQueue, createStores } from './stores.ts';

/** No app sends more; what is larger is refused before it is read. */
const MAX_BODY_BYTES = 1_000_000;
/** What an app that listens to it is asked to wait before it delivers again, s. */
const RETRY_AFTER_S = '2';

/** What the webhooks of one app work with. */
export async function createWebhookDeps(
  settings: Settings,
  appOf: (stores: ReturnType<typeof createStores>) => ChatApp,
): Promise<WebhookDeps & { app: ChatApp; stores: ReturnType<typeof createStores> }> {
  const stores = createStores(settings);
  const openChannel = channelOpener(await createSecrets(settings));
  const app = appOf(stores);
  const queue = createQueue(settings);
  return {
    ...stores,
    stores,
    app,
    apps: { [app.name]: app },
    queue,
    openChannel,
    resolveModel,
    listModels: modelFacts,
    runtime,
    logger,
  };
}

/** The HTTP side of one app's webhooks: `POST /<app>/<channelId>`. */
export function webhookApp(deps: WebhookDeps, app: ChatApp): Hono {
  const ingest = new Ingest(deps);
  const hono = new Hono();
  const tooLarge = (c: Context) => c.json({ message: 'The body is over 1 MB.' }, 413);
  hono.post(`/${app.name}/:channel`, bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge }), async (c) => {
    const { status, message } = await ingest.handle(app, c.req.param('channel') ?? '', await requestOf(c));
    return Response.json({ message }, { status });
  });
  hono.notFound((c) => c.json({ message: `There is nothing here; webhooks are POST /${app.name}/<channelId>.` }, 404));
  hono.onError((error, c) => {
    logger.error('webhook.failed', error, { app: app.name });
    return c.json({ message: 'Not taken; please deliver it again.' }, 503, { 'Retry-After': RETRY_AFTER_S });
  });
  return hono;
}

/** The request as verifiers need it: the body's bytes as they came. */
export async function requestOf(c: Context): Promise<WebhookRequest> {
  return {
    method: c.req.method,
    query: c.req.query(),
    headers: c.req.header(),
    body: new Uint8Array(await c.req.arrayBuffer()),
  };
}

export { handle };
