import { setTimeout } from 'node:timers/promises';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import type { WebhookDeps } from '../lib/conversations/deps.ts';
import { Ingest, type Progress, type WebhookResponse } from '../lib/conversations/ingest.ts';
import { ConchError, ReplyRefusedError } from '../lib/domain/errors.ts';
import type { ChatApp } from '../lib/ports/chatApp.ts';
import type { SecretBox } from '../lib/ports/secrets.ts';
import { modelFacts, resolveModel } from '../lib/providers/models.ts';
import { channelOpener } from '../lib/tenants/channels.ts';
import { type HttpAnswer, type HttpFunction, json, nothingHere, requestOf, urlEvent } from './functionUrl.ts';
import { logger, runtime } from './runtime.ts';
import { createSecrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { createQueue, createStores } from './stores.ts';
import { workspacesOf } from './workspaces.ts';

/** No app sends more; what is larger is refused before it is looked at. */
const MAX_BODY_BYTES = 1_000_000;
/** What an app that listens to it is asked to wait before it delivers again, s. */
const RETRY_AFTER_S = '2';

/** What the functions of one app work with. */
export interface AppDeps extends WebhookDeps {
  app: ChatApp;
  stores: ReturnType<typeof createStores>;
  secrets: SecretBox;
}

/** What the functions of one app work with, by the environment's settings. */
export async function createWebhookDeps(
  settings: Settings,
  appOf: (stores: AppDeps['stores']) => ChatApp,
): Promise<AppDeps> {
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

/**
 * The webhooks of one app: `POST /<app>/<channelId>`. Lambda's event is read as it comes: a framework's `Request` alone
 * would be a third of a cold start.
 * @param pages what else the app has at its address; loaded when it is first asked for.
 */
export function webhookFunction(deps: WebhookDeps, app: ChatApp, pages?: () => Promise<HttpFunction>): HttpFunction {
  const ingest = new Ingest(deps);
  return async (invokedWith) => {
    const event = urlEvent(invokedWith);
    if (!event) return json(400, NO_REQUEST);
    const channelId = channelIdOf(event, app);
    if (channelId === undefined) return pages ? (await pages())(event) : json(404, nothingHere(app.name));
    const request = requestOf(event);
    if (request.body.length > MAX_BODY_BYTES) return json(413, { message: 'The body is over 1 MB.' });
    const progress: Progress = {};
    try {
      return answerOf(app, await inTime(app, ingest.handle(app, channelId, request, progress), progress));
    } catch (error) {
      noteFailure(error, app.name);
      // Whoever is not known to be the app gets no answer that could pass for one to a signed request.
      const apology = progress.verified && apologyFor(app, request.body);
      return apology ? json(200, apology) : json(503, NOT_TAKEN, { 'retry-after': RETRY_AFTER_S });
    }
  };
}

function apologyFor(app: ChatApp, body: Uint8Array): Record<string, unknown> | undefined {
  try {
    return app.apology?.(body);
  } catch (error) {
    noteFailure(error, app.name);
    return undefined;
  }
}

/** An app that takes no reply for now has said so in the log already; nobody has to be woken for it. */
function noteFailure(error: unknown, app: string): void {
  if (error instanceof ReplyRefusedError) logger.warn('webhook.reply-refused', { app });
  else logger.error('webhook.failed', error, { app });
}

const NO_REQUEST = { message: 'This is no HTTP request.' };
const NOT_TAKEN = { message: 'Not taken; please deliver it again.' };

/** The channel of a webhook's address; undefined if this is no webhook. */
function channelIdOf({ rawPath, requestContext }: LambdaFunctionURLEvent, { name }: ChatApp): string | undefined {
  const [, app, channelId, ...more] = rawPath.split('/');
  const isWebhook = requestContext.http.method === 'POST' && app === name && more.length === 0;
  return isWebhook && channelId ? channelId : undefined;
}

function answerOf({ limits }: ChatApp, { status, message, body }: WebhookResponse): HttpAnswer {
  // Discord wants a type even where there is no content.
  if (status < 300 && !body && limits.emptyAnswers) return { ...json(status, null), body: '' };
  return json(status, body ?? { message });
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
  answer.catch((error: unknown) => noteFailure(error, name));
  if (progress.taken) return progress.taken;
  throw new ConchError('too-slow', 'The message is not known to be in the log yet', { retryable: true });
}
