import * as z from 'zod/mini';
import { SettingsError } from '../lib/domain/errors.ts';

const url = z.url({ protocol: /^https?$/u });

/** What is no JSON stays text, which the next check refuses. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const schema = z.object({
  CONCH_TABLE: z.string().check(z.minLength(1)),
  CONCH_QUEUE_URL: z.optional(url),
  /** Addresses of embedded services; absent on AWS. */
  CONCH_DYNAMODB_ENDPOINT: z.optional(url),
  CONCH_SQS_ENDPOINT: z.optional(url),
  /** One of the two seals secrets. */
  CONCH_KMS_KEY_ID: z.optional(z.string().check(z.minLength(1))),
  CONCH_KEY_FILE: z.optional(z.string().check(z.minLength(1))),
  /** SHA-256 of the administration's token, hex. */
  CONCH_ADMIN_TOKEN_SHA256: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/u))),
  /** Where the chat apps reach the webhooks: all of them, or as a JSON object for each app, which goes first. */
  CONCH_PUBLIC_URL: z.optional(url),
  CONCH_WEBHOOK_URLS: z.optional(z.pipe(z.pipe(z.string(), z.transform(readJson)), z.record(z.string(), url))),
  /** Addresses that a channel's `apiRoot` may have, separated by commas; `*` for any. */
  CONCH_API_ROOTS: z.optional(z.string()),
});

/** What a function is told by its environment. */
export type Settings = z.infer<typeof schema>;

/**
 * Reads the settings.
 * @throws {SettingsError} naming each variable that is missing or wrong, without its value.
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const parsed = schema.safeParse(env);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new SettingsError(`These settings are missing or wrong: ${faults.join('; ')}`);
}

/** A setting that this function cannot do without. */
export function required<K extends keyof Settings>(settings: Settings, name: K): NonNullable<Settings[K]> {
  const value = settings[name];
  if (value === undefined) throw new SettingsError(`The setting ${name} is missing`);
  return value as NonNullable<Settings[K]>;
}
