import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SettingsError } from '../../lib/domain/errors.ts';

/**
 * Makes a data directory this process's own until it is released or the process ends, however it ends: the lock is
 * SQLite's on a file in it, which the system drops with the process.
 * @returns what releases it.
 * @throws {SettingsError} if another process has it.
 */
export function lockDirectory(directory: string): () => void {
  const database = new DatabaseSync(join(directory, 'lock.sqlite'));
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new SettingsError(`The data directory ${directory} is in use: is another copy running?`, error);
  }
  return () => database.close();
}
