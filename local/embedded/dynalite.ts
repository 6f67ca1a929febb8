import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { SettingsError } from '../../lib/domain/errors.ts';
import { freePort, LOOPBACK, reason } from './ports.ts';

type Dynalite = (options: { path?: string; createTableMs: number }) => Server;

function loadDynalite(): Dynalite {
  try {
    return createRequire(import.meta.url)('dynalite') as Dynalite;
  } catch (error) {
    const help = 'set DYNAMODB_ENDPOINT to a DynamoDB, or install the optional dependencies';
    throw new SettingsError(`No embedded DynamoDB is installed for this machine: ${help}`, error);
  }
}

/**
 * Starts dynalite in this process, for machines that have no dynoxide.
 * @param options `port` 0 for a free one; without `path` everything is lost at the end.
 * @throws {SettingsError} if it is not installed, or the port or the path cannot be used.
 */
export async function startDynalite(options: {
  port: number;
  path?: string;
}): Promise<{ endpoint: string; stop(): Promise<void> }> {
  const port = await freePort(options.port);
  const server = loadDynalite()({ ...(options.path ? { path: options.path } : {}), createTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new SettingsError(`dynalite did not start: ${reason(error)}`, error)));
    server.listen(port, LOOPBACK, resolve);
  });
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { endpoint: `http://${LOOPBACK}:${port}`, stop };
}
