import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { ConchError } from '../domain/errors.ts';
import { authorize } from './authorize.ts';
import type { AdministrationDeps } from './deps.ts';
import { Problem, problemResponse } from './problem.ts';
import { type Method, ROUTES } from './routes.ts';

export type { AdministrationDeps } from './deps.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The administration's HTTP API (DESIGN 6): everything below `/v1`, with the admin token, and `/healthz` without one.
 * @throws {SettingsError} if the admin token's hash is none.
 */
export function createAdministration(deps: AdministrationDeps): Hono {
  const app = new Hono();
  app.onError((error) => failure(deps, error));
  app.notFound(() => noRoute());
  app.get('/healthz', (c) => c.json({ ok: true }));
  app.use('/v1/*', authorize(deps.adminTokenHash));
  app.use('/v1/*', bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge }));
  for (const [path, methods] of Object.entries(ROUTES)) {
    for (const [method, handler] of Object.entries(methods)) app.on(method, path, (c) => handler(c, deps));
    app.all(path, (c) => badMethod(c, Object.keys(methods) as Method[]));
  }
  app.all('/v1/*', noRoute);
  return app;
}

function noRoute(): Response {
  return problemResponse(new Problem('not-found', 'There is nothing at this address.'));
}

function tooLarge(): Response {
  return problemResponse(new Problem('too-large', 'A body may have 1 MB at most.'));
}

function badMethod(c: Context, methods: readonly Method[]): Response {
  const problem = new Problem('bad-method', `${c.req.method} is not possible here; ${methods.join(', ')} would be.`);
  return problemResponse(problem, { allow: methods.join(', ') });
}

/** The answer to whatever a handler threw. What is not a refusal is told to the log, not to the administrator. */
function failure({ logger }: AdministrationDeps, error: Error): Response {
  if (error instanceof Problem) return problemResponse(error);
  logger.error('administration.failed', error);
  if (error instanceof ConchError && error.retryable) {
    return problemResponse(new Problem('unavailable', 'A service that this needs does not answer. Try again.'));
  }
  return problemResponse(new Problem('internal', 'This was not expected; the log says more.'));
}
