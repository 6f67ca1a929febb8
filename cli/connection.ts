import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure } from './failure.ts';

const DEFAULT_URL = 'http://localhost:8787';

/** What the run on this machine leaves for the command line, readable by its user only. */
const localSchema = z.object({
  url: z.string(),
  adminToken: z.optional(z.string()),
  chat: z.optional(z.object({ channelId: z.string(), secret: z.string() })),
});

/** Where Conch is, and what opens it. */
export interface Connection {
  /** Without a slash at the end. */
  url: string;
  adminToken?: string | undefined;
  /** `isGiven`: by the environment, not by a run on this machine. */
  chat?: { channelId: string; secret: string; isGiven?: true } | undefined;
}

function readLocal(path: string): z.infer<typeof localSchema> | undefined {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return localSchema.parse(JSON.parse(content));
  } catch {
    throw new Failure(
      `The file ${path} cannot be read; delete it and start Conch again with npm start, which writes it anew.`,
    );
  }
}

/** A variable that is set to nothing counts as not set. */
function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function chatOf(env: NodeJS.ProcessEnv): Connection['chat'] {
  const channelId = variable(env, 'CONCH_CHAT_CHANNEL');
  const secret = variable(env, 'CONCH_CHAT_SECRET');
  return channelId && secret ? { channelId, secret, isGiven: true } : undefined;
}

/**
 * The connection: an option, else the environment, else the local run's file. What the file holds is for its own address
 * alone, so that its token goes nowhere else.
 */
export function readConnection(options: { url?: string }, env: NodeJS.ProcessEnv): Connection {
  const local = readLocal(join(variable(env, 'CONCH_DATA') ?? '.conch', 'local.json'));
  const given = options.url ?? variable(env, 'CONCH_URL');
  const url = (given ?? local?.url ?? DEFAULT_URL).replace(/\/+$/, '');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Failure('The address of Conch is no http address.', 2);
  const own = local?.url.replace(/\/+$/, '') === url ? local : undefined;
  return { url, adminToken: variable(env, 'CONCH_ADMIN_TOKEN') ?? own?.adminToken, chat: chatOf(env) ?? own?.chat };
}

/** As `readConnection`, for a chat. @throws {Failure} if of its channel and its secret one alone is given. */
export function readChatConnection(options: { url?: string }, env: NodeJS.ProcessEnv): Connection {
  const names = ['CONCH_CHAT_CHANNEL', 'CONCH_CHAT_SECRET'];
  const [missing, ...more] = names.filter((name) => variable(env, name) === undefined);
  if (missing && more.length === 0) {
    const other = names.find((name) => name !== missing);
    throw new Failure(`${other} is set, and ${missing} is not; a chat needs both.`, 2);
  }
  return readConnection(options, env);
}
