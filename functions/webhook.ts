import { setTimeout } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { bodyLimit } from 'hono/body-limit';
import type { WebhookDeps } from '../lib/conversations/deps.ts';
import { Ingest, type Progress, type WebhookResponse } from '../lib/conversations/ingest.ts';
import { ConchError } from '../lib/domain/errors.ts';
import type { ChatApp, WebhookRequest } from '../lib/ports/chatApp.ts';
import type { SecretBox } from '../lib/ports/secrets.ts';
import { modelFacts, resolveModel } from '../lib/providers/models.ts';
import { channelOpener } from '../lib/tenants/channels.ts';
import { logger, runtime } from './runtime.ts';
import { createSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { createQueue, createStores } from './stores.ts';
import { workspacesOf } from './workspaces.ts';

/** No app sends more; what is larger is refused before it is read. */
const MAX_BODY_BYTES = 1_000_000;
/** What an app that listens to it is asked to wait before it delivers again, s. */
const RETRY_AFTER_S = '2';

/** What the webhooks of one app work with. */
export async function createWebhookDeps(
  settings: Settings,
  appOf: (stores: ReturnType<typeof createStores>) => ChatApp,
): Promise<WebhookDeps & { app: ChatApp; stores: ReturnType<typeof createStores>; secrets: SecretBox }> {
  const stores = createStores(settings);
  const secrets = await createSecrets(settings);
  const app = appOf(stores);
  const queue = createQueue(settings);
  return {
    ...stores,
    ...{ stores, secrets, app },
    apps: { [app.name]: app },
    queue,
    openChannel: channelOpener(secrets),
    workspaces: workspacesOf(stores, secrets),
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
    const request = await requestOf(c);
    const progress: Progress = {};
    try {
      const answer = ingest.handle(app, c.req.param('channel') ?? '', request, progress);
      return answerOf(app, await inTime(app, answer, progress));
    } catch (error) {
      // Whoever is not known to be the app gets no answer that could pass for one to a signed request.
      const apology = progress.verified && app.apology?.(request.body);
      if (!apology) throw error;
      logger.error('webhook.failed', error, { app: app.name });
      return Response.json(apology);
    }
  });
  hono.notFound((c) => c.json({ message: `There is nothing here; webhooks are POST /${app.name}/<channelId>.` }, 404));
  hono.onError((error, c) => {
    logger.error('webhook.failed', error, { app: app.name });
    return c.json({ message: 'Not taken; please deliver it again.' }, 503, { 'Retry-After': RETRY_AFTER_S });
  });
  return hono;
}

/** Discord wants a type even where there is no content. */
const EMPTY = { 'content-type': 'application/json' };

function answerOf({ limits }: ChatApp, { status, message, body }: WebhookResponse): Response {
  if (status < 300 && !body && limits.emptyAnswers) return new Response(null, { status, headers: EMPTY });
  return Response.json(body ?? { message }, { status });
}

/**
 * The answer, or a plain one when the app would wait no longer and the message is in the log: the rest goes on behind it.
 * @throws {ConchError} `too-slow` if it is not known to be in the log by then; the app delivers again.
 */
async function inTime(
  { limits, name }: ChatApp,
  answer: Promise<WebhookResponse>,
  progress: Progress,
): Promise<WebhookResponse> {
  const { answerWithinMs } = limits;
  if (answerWithinMs === undefined) return answer;
  const inHand = new AbortController();
  const late = setTimeout(answerWithinMs, 'late' as const, { signal: inHand.signal }).catch(() => 'late' as const);
  const first = await Promise.race([answer, late]).finally(() => inHand.abort());
  if (first !== 'late') return first;
  answer.catch((error: unknown) => logger.error('webhook.failed', error, { app: name }));
  if (progress.taken) return progress.taken;
  throw new ConchError('too-slow', 'The message is not known to be in the log yet', { retryable: true });
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
