import { randomFillSync } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { LogFields, Logger, Runtime } from '../lib/ports/runtime.ts';

const ending = new AbortController();

/** Hands over the turns that this process runs: it is about to end. */
export function endSoon(): void {
  ending.abort();
}

/** The real clock, ids and waits. */
export const runtime: Runtime = {
  now: () => Date.now(),
  newId,
  random: () => Math.random(),
  async sleep(ms, signal) {
    await wait(ms, undefined, signal ? { signal } : {});
  },
  ending: ending.signal,
};

const ID_BYTES = 12;
/** Randomness is fetched for many ids at once: each fetch costs more than the id. */
const pool = Buffer.alloc(ID_BYTES * 128);
let used = pool.length;

function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('base64url', used - ID_BYTES, used);
}

/** A line of JSON for each entry: an allow-list by type, since only names, counts and times are given to it. */
export const logger: Logger = {
  info: (what, fields) => write('info', what, fields),
  warn: (what, fields) => write('warn', what, fields),
  error: (what, error, fields) => write('error', what, { ...fields, error: describe(error) }),
};

function write(level: string, what: string, fields: LogFields = {}): void {
  process.stderr.write(`${JSON.stringify({ level, what, ...fields })}\n`);
}

const LONGEST_CHAIN = 5;

/** An error as names, codes and messages along its causes; whatever is no error shows only its type. */
function describe(error: unknown): string {
  const chain: string[] = [];
  for (
    let at = error;
    at !== undefined && chain.length < LONGEST_CHAIN;
    at = at instanceof Error ? at.cause : undefined
  ) {
    if (!(at instanceof Error)) {
      chain.push(inspect(at, { depth: 0 }).slice(0, 200));
      break;
    }
    const code = 'code' in at && typeof at.code === 'string' ? ` ${at.code}` : '';
    chain.push(`${at.name}${code}: ${withoutTokens(at.message)}`.slice(0, 500));
  }
  return chain.join(' <- ');
}

/** Tokens stand in the addresses of calls to Telegram and Discord, and so in network errors (SPEC 14.2). */
function withoutTokens(text: string): string {
  return text
    .replace(/\b\d{6,}:[\w-]{30,}/gu, '<token>')
    .replace(/\bbot\d+:[\w-]+/gu, 'bot<token>')
    .replace(/\/(webhooks|interactions)\/\d+\/[\w-]+/gu, '/$1/<token>');
}
