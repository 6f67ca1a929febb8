import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConchError, SettingsError } from '../domain/errors.ts';
import type { SecretBox, SecretContext } from '../ports/secrets.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Stands before each sealed text, so that another way to seal can be told apart later. */
const VERSION = 'k1.';
/** What others may do to the key file: nothing. Windows has no such bits. */
const OTHERS_BITS = process.platform === 'win32' ? 0 : 0o077;

/** Another length or order of the two gives other bytes. */
const boundTo = ({ tenant, owner }: SecretContext) => Buffer.from(JSON.stringify([tenant, owner]));

function isAlreadyThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

/** The key appears whole or not at all, and of two starts at once one makes it: a file of its own, then a link. */
function createKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`);
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    closeSync(file);
    rmSync(draft, { force: true });
  }
}

function readKeyFile(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    if (fstatSync(file).mode & OTHERS_BITS) throw new SettingsError(`Others can read the key file ${path}: chmod 600`);
    return parseKey(path, readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

function parseKey(path: string, content: string): Buffer {
  const key = Buffer.from(content.trim(), 'base64');
  if (key.length !== KEY_BYTES || key.toString('base64') !== content.trim()) {
    throw new SettingsError(`The key file ${path} holds no key: it wants ${KEY_BYTES} bytes in base64`);
  }
  return key;
}

function loadKey(path: string): Buffer {
  try {
    const found = readKeyFile(path);
    if (found) return found;
    createKeyFile(path);
    const made = readKeyFile(path);
    if (made) return made;
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(`The key file ${path} cannot be used`, error);
  }
  throw new SettingsError(`The key file ${path} went away`);
}

/** Secrets sealed with AES-256-GCM under a key in a file, for the run on one machine. The context is authenticated. */
export class KeyFileSecretBox implements SecretBox {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /**
   * Reads the key file; makes it, readable by its owner only, if it is not there.
   * @throws {SettingsError} if others can read it, or it holds no key.
   */
  static open(path: string): KeyFileSecretBox {
    return new KeyFileSecretBox(loadKey(path));
  }

  async seal(plain: string, context: SecretContext): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(context));
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return VERSION + sealed.toString('base64');
  }

  async open(sealed: string, context: SecretContext): Promise<string> {
    try {
      return this.#decrypt(sealed, context);
    } catch (error) {
      throw new ConchError('unsealable', 'A secret cannot be opened', { cause: error });
    }
  }

  #decrypt(sealed: string, context: SecretContext): string {
    if (!sealed.startsWith(VERSION)) throw new Error('Sealed in another way');
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
    const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  }
}
