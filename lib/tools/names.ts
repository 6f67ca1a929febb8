import { createHash } from 'node:crypto';
import { EXIT_PLAN_MODE, LOAD_SKILL } from '../domain/toolCalls.ts';

export const LOAD_PROMPT = 'load_prompt';

/** Names of tools that are no server's. */
const OWN: ReadonlySet<string> = new Set([EXIT_PLAN_MODE, LOAD_SKILL, LOAD_PROMPT]);
/** What every provider takes. */
const MAX_CHARS = 64;
const HASH_CHARS = 8;

/**
 * The name by which a model knows a server's tool: `server_tool`. It depends on nothing but the two names, since the
 * log's calls are replayed in later turns. What had to be changed is told apart by a hash; a server's name has no `_`,
 * so that no two servers meet.
 */
export function toolName(server: string, tool: string): string {
  const plain = `${server}_${tool}`;
  if (/^[\w-]+$/.test(plain) && plain.length <= MAX_CHARS && !OWN.has(plain)) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, HASH_CHARS);
  return `${plain.replace(/[^\w-]/gu, '_').slice(0, MAX_CHARS - HASH_CHARS - 1)}_${hash}`;
}
