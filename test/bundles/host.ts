import { pathToFileURL } from 'node:url';

/** A process of one function, as Lambda runs it: the bundle is loaded, then each message is one call of its handler. */

interface Call {
  id: number;
  event: unknown;
  remainingMs: number;
}

const startedAt = performance.now();
const { handler } = await import(pathToFileURL(process.argv[2] ?? '').href);
process.send?.({ loadedMs: performance.now() - startedAt });

process.on('message', async ({ id, event, remainingMs }: Call) => {
  const until = Date.now() + remainingMs;
  try {
    process.send?.({ id, result: await handler(event, { getRemainingTimeInMillis: () => until - Date.now() }) });
  } catch (error) {
    process.send?.({ id, error: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
