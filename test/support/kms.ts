import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KmsRequest {
  KeyId?: string;
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

/** An error as KMS answers it. */
class Fault extends Error {
  constructor(name: string) {
    super(name);
    this.name = name;
  }
}

const sortedContext = (context: Record<string, string> = {}) =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))));

function keyNamed(keys: Map<string, Buffer>, id: string): Buffer {
  const key = keys.get(id);
  if (!key) throw new Fault('NotFoundException');
  return key;
}

function encrypt(keys: Map<string, Buffer>, request: KmsRequest) {
  const id = request.KeyId ?? '';
  const plain = Buffer.from(request.Plaintext ?? '', 'base64');
  if (plain.length < 1 || plain.length > 4_096) throw new Fault('ValidationException');
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyNamed(keys, id), nonce).setAAD(
    sortedContext(request.EncryptionContext),
  );
  const blob = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { KeyId: id, CiphertextBlob: blob.toString('base64') };
}

function decrypt(keys: Map<string, Buffer>, request: KmsRequest) {
  const id = request.KeyId ?? '';
  const blob = Buffer.from(request.CiphertextBlob ?? '', 'base64');
  const key = keyNamed(keys, id);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(sortedContext(request.EncryptionContext)).setAuthTag(blob.subarray(-16));
    const plain = Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
    return { KeyId: id, Plaintext: plain.toString('base64') };
  } catch {
    throw new Fault('InvalidCiphertextException');
  }
}

async function bodyOf(request: IncomingMessage): Promise<KmsRequest> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as KmsRequest;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}

/**
 * A stand-in of KMS that speaks its JSON protocol and really encrypts: AES-256-GCM, the encryption context
 * authenticated. `calls` counts requests by name; while `down` is set, every request fails.
 */
export async function startKms(keyIds: string[]) {
  const keys = new Map(keyIds.map((id) => [id, randomBytes(32)]));
  const calls: Record<string, number> = {};
  const state = { calls, down: false };
  const server = createServer(async (request, response) => {
    const name = String(request.headers['x-amz-target']).replace('TrentService.', '');
    calls[name] = (calls[name] ?? 0) + 1;
    try {
      if (state.down) return send(response, 500, { __type: 'KMSInternalException' });
      const body = await bodyOf(request);
      send(response, 200, name === 'Encrypt' ? encrypt(keys, body) : decrypt(keys, body));
    } catch (error) {
      send(response, 400, { __type: error instanceof Error ? error.name : 'InternalFailure' });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    endpoint,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
