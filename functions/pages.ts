import { Hono } from 'hono';
import type { ChatApp } from '../lib/ports/chatApp.ts';
import { type HttpFunction, nothingHere } from './functionUrl.ts';
import { functionOf } from './hono.ts';
import { logger } from './runtime.ts';

/** What an app has at its address beside its webhooks. @param add adds the routes. */
export function pagesOf(app: ChatApp, add: (hono: Hono) => void): HttpFunction {
  const hono = new Hono();
  add(hono);
  hono.notFound((c) => c.json(nothingHere(app.name), 404));
  hono.onError((error, c) => {
    logger.error('page.failed', error, { app: app.name });
    return c.json({ message: 'This did not work just now. Try again.' }, 503, { 'Retry-After': '2' });
  });
  return functionOf(hono);
}
