import { accessSync, constants, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { SettingsError } from '../../lib/domain/errors.ts';

/** Embedded services listen here only: they ask nobody who they are. */
export const LOOPBACK = '127.0.0.1';

/** What a client needs beside the endpoint; the embedded services take any credentials. */
export const EMBEDDED_AWS = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};

/**
 * A port that can be listened on.
 * @param wanted 0 for any.
 * @throws {SettingsError} if `wanted` is taken or not allowed.
 */
export function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(new SettingsError(`Port ${wanted} cannot be used (${error.code}): is another copy running?`, error));
    });
    probe.listen(wanted, LOOPBACK, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : wanted;
      probe.close(() => resolve(port));
    });
  });
}

/** Makes a directory that only its owner can read. @throws {SettingsError} if it cannot be made or written. */
export function writableDirectory(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    throw new SettingsError(`The data directory ${path} cannot be written: ${reason(error)}`, error);
  }
}

/** What an error says, in a few words. */
export function reason(error: unknown): string {
  return error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
}
