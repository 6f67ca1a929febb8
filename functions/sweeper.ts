import { Sweeper } from '../lib/conversations/sweep.ts';
import { logger, runtime } from './runtime.ts';
import { readSettings } from './settings.ts';
import { createQueue, createStores } from './stores.ts';

const settings = readSettings(process.env);
const { log, cursor } = createStores(settings);
const sweeper = new Sweeper({ log, cursor, queue: createQueue(settings), runtime, logger });

/** Runs every minute: sends hints for work that none will come for. */
export async function handler(): Promise<{ found: number }> {
  return { found: await sweeper.sweep() };
}
