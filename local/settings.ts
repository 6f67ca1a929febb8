import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { SettingsError } from '../lib/domain/errors.ts';

const PORT_RANGE = 'has to be a whole number from 0 to 65535';
const HTTP_ADDRESS = 'has to be an http or https address';

const schema = z.object({
  PORT: z.coerce.number('has to be a number').int(PORT_RANGE).min(0, PORT_RANGE).max(65_535, PORT_RANGE).default(8787),
  CONCH_DATA: z.string().min(1).default('.conch'),
  CONCH_ADMIN_TOKEN: z.string().min(16, 'has to have 16 characters or more').optional(),
  CONCH_PUBLIC_URL: z.url({ protocol: /^https?$/u, error: HTTP_ADDRESS }).optional(),
  /** A DynamoDB to use instead of the embedded one. */
  DYNAMODB_ENDPOINT: z.url({ protocol: /^https?$/u, error: HTTP_ADDRESS }).optional(),
});

export interface LocalSettings {
  port: number;
  dataDir: string;
  adminToken?: string;
  publicUrl?: string;
  dynamodbEndpoint?: string;
}

/**
 * Reads the settings of the run on one machine; an empty variable counts as absent.
 * @throws {SettingsError} naming each variable that is wrong.
 */
export function readLocalSettings(env: Record<string, string | undefined>): LocalSettings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new SettingsError(`These settings are wrong: ${faults.join('; ')}`);
  }
  const { PORT, CONCH_DATA, CONCH_ADMIN_TOKEN, CONCH_PUBLIC_URL, DYNAMODB_ENDPOINT } = parsed.data;
  return {
    port: PORT,
    dataDir: resolve(CONCH_DATA),
    ...(CONCH_ADMIN_TOKEN === undefined ? {} : { adminToken: CONCH_ADMIN_TOKEN }),
    ...(CONCH_PUBLIC_URL === undefined ? {} : { publicUrl: CONCH_PUBLIC_URL.replace(/\/$/u, '') }),
    ...(DYNAMODB_ENDPOINT === undefined ? {} : { dynamodbEndpoint: DYNAMODB_ENDPOINT }),
  };
}

const credentialsSchema = z.object({
  url: z.string(),
  adminToken: z.string().min(16),
  chat: z.object({ channelId: z.string(), secret: z.string() }),
});

/** What the command line needs to talk to this run; kept in a file that only its owner can read. */
export type Credentials = z.infer<typeof credentialsSchema>;

/** @throws {SettingsError} if the file is there and cannot be read. */
export function readCredentials(path: string): Credentials | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return credentialsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new SettingsError(`${path} is not what it was written as; put it right or delete it`, error);
  }
}

/** By a new file that takes the place of the one before: that may be readable by others, or half written after a crash. */
export function writeCredentials(path: string, credentials: Credentials): void {
  const next = `${path}.new`;
  rmSync(next, { force: true });
  writeFileSync(next, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(next, path);
}
