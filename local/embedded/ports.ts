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

/** A program of ours that was killed may keep its port for a moment. */
const PORT_PATIENCE_MS = 1_000;
const PORT_POLL_MS = 50;

function listenOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(wanted, LOOPBACK, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : wanted;
      probe.close(() => resolve(port));
    });
  });
}

/**
 * A port that can be listened on.
 * @param wanted 0 for any.
 * @throws {SettingsError} if `wanted` is taken, also after a second, or not allowed.
 */
export async function freePort(wanted: number): Promise<number> {
  for (const deadline = Date.now() + PORT_PATIENCE_MS; ; ) {
    try {
      return await listenOnce(wanted);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || Date.now() >= deadline) throw new SettingsError(`Port ${wanted}: ${reason(error)}`, error);
      await new Promise((resolve) => setTimeout(resolve, PORT_POLL_MS));
    }
  }
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

/** What an error says. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
