import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingsError } from '../../lib/domain/errors.ts';
import { writableDirectory } from './ports.ts';

/**
 * Makes a data directory this process's own until it is released or the process ends, however it ends: the lock is
 * SQLite's on a file in it, which the system drops with the process.
 * @returns what releases it.
 * @throws {SettingsError} if another process has it.
 */
function lockDirectory(directory: string): () => void {
  const database = new DatabaseSync(join(directory, 'lock.sqlite'));
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new SettingsError(`The data directory ${directory} is in use: is another copy running?`, error);
  }
  return () => database.close();
}

/**
 * Starts a program on a data directory that is made if it is not there, and is this process's own until the program has
 * ended.
 * @throws {SettingsError} if another process has the directory, or it cannot be used.
 */
export async function startLocked<T extends { stop(): Promise<void> }>(
  dataDir: string,
  start: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = writableDirectory(dataDir);
  const release = lockDirectory(directory);
  try {
    const started = await start(directory);
    return { ...started, stop: () => started.stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}
