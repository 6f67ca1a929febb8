import { BoundedMap } from '../domain/boundedMap.ts';
import { ConchError } from '../domain/errors.ts';
import { MINUTE_MS } from '../domain/limits.ts';
import type { SecretBox, SecretContext } from '../ports/secrets.ts';
import { call } from './calls.ts';
import type { AwsClient } from './clients.ts';
import type { Input } from './operations.ts';

/** What KMS encrypts directly. Bot tokens and provider keys are far shorter. */
const MAX_SECRET_BYTES = 4_096;
const CACHE_MS = 5 * MINUTE_MS;
const MAX_CACHED = 1_000;
/** Stands before each sealed text, so that another way to seal can be told apart later. */
const VERSION = 'm1.';
const REFUSED = new Set(['InvalidCiphertextException', 'IncorrectKeyException', 'ValidationException']);

function unsealable(cause?: unknown): ConchError {
  return new ConchError('unsealable', 'A secret cannot be opened', { cause });
}

/** A service's fault is no statement about the secret: only what KMS says of the text itself makes it unsealable. */
function openFault(error: unknown): unknown {
  const cause = error instanceof ConchError ? error.cause : undefined;
  return cause instanceof Error && REFUSED.has(cause.name) ? unsealable(cause) : error;
}

const encryptionContext = ({ tenant, owner }: SecretContext) => ({ tenant, owner });

/**
 * Secrets sealed by a KMS key, with tenant and owner as its encryption context (SPEC 14.2). An opened secret is kept in
 * memory for 5 minutes, so that a busy webhook does not ask KMS for each message.
 */
export class KmsSecretBox implements SecretBox {
  readonly #client: AwsClient<'kms'>;
  readonly #keyId: string;
  readonly #now: () => number;
  readonly #opened = new BoundedMap<string, { plain: Promise<string>; until: number }>(MAX_CACHED);

  /** @param keyId the key's id, ARN or alias; what another key has sealed is not opened. */
  constructor(client: AwsClient<'kms'>, keyId: string, now: () => number = Date.now) {
    this.#client = client;
    this.#keyId = keyId;
    this.#now = now;
  }

  /** @throws {ConchError} `secret-too-large` for more than 4,096 bytes; `kms-unavailable`, `kms-failed`. */
  async seal(plain: string, context: SecretContext): Promise<string> {
    const bytes = Buffer.from(plain, 'utf8');
    if (bytes.length > MAX_SECRET_BYTES) {
      throw new ConchError('secret-too-large', `A secret may have ${MAX_SECRET_BYTES} bytes`);
    }
    const EncryptionContext = encryptionContext(context);
    const input: Input<'kms', 'Encrypt'> = {
      KeyId: this.#keyId,
      Plaintext: bytes.toString('base64'),
      EncryptionContext,
    };
    const answer = await call('kms', this.#client.send('Encrypt', input));
    return VERSION + (answer.CiphertextBlob ?? '');
  }

  /** @throws {ConchError} `unsealable`; `kms-unavailable`, `kms-failed` if KMS does not say. */
  async open(sealed: string, context: SecretContext): Promise<string> {
    const key = JSON.stringify([context.tenant, context.owner, sealed]);
    const known = this.#opened.get(key);
    if (known && known.until > this.#now()) return known.plain;
    const plain = this.#decrypt(sealed, context);
    this.#opened.set(key, { plain, until: this.#now() + CACHE_MS });
    plain.catch(() => this.#opened.delete(key));
    return plain;
  }

  async #decrypt(sealed: string, context: SecretContext): Promise<string> {
    if (!sealed.startsWith(VERSION)) throw unsealable();
    const CiphertextBlob = Buffer.from(sealed.slice(VERSION.length), 'base64').toString('base64');
    const EncryptionContext = encryptionContext(context);
    const input: Input<'kms', 'Decrypt'> = { KeyId: this.#keyId, CiphertextBlob, EncryptionContext };
    try {
      const answer = await call('kms', this.#client.send('Decrypt', input));
      return Buffer.from(answer.Plaintext ?? '', 'base64').toString('utf8');
    } catch (error) {
      throw openFault(error);
    }
  }
}
