import { readFileSync } from 'node:fs';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { postText } from '../../lib/channels/shared/http.ts';
import { GuardedFetch } from '../../lib/tools/guardedFetch.ts';

const pem = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const [key, cert] = [pem('key.pem'), pem('certificate.pem')];
const trusted = getCACertificates('default');
const TIMEOUT_MS = 20_000;

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => void server.close()));
afterAll(() => setDefaultCACertificates(trusted));

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

/** Where nothing is sent, and what tells so. */
const UNSENT: Record<string, { at(): Promise<string>; code: RegExp }> = {
  'nobody listens': {
    async at() {
      const server = createServer();
      const port = await listen(server);
      await new Promise((resolve) => server.close(resolve));
      return `http://127.0.0.1:${port}/`;
    },
    code: /^ECONNREFUSED$/,
  },
  // Without a resolver at hand Node says that it should be tried again.
  'a name that leads nowhere': { at: async () => 'http://nothing.invalid/', code: /^(ENOTFOUND|EAI_AGAIN)$/ },
  'a certificate that nobody vouches for': {
    async at() {
      return `https://127.0.0.1:${await listen(createSecure({ key, cert }))}/`;
    },
    code: /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
  },
  'a chain of certificates without its root': {
    async at() {
      const chain = { key: pem('chain-key.pem'), cert: pem('chain.pem') };
      return `https://127.0.0.1:${await listen(createSecure(chain))}/`;
    },
    code: /^UNABLE_TO_GET_ISSUER_CERT_LOCALLY$/,
  },
  'a certificate of another name': {
    async at() {
      setDefaultCACertificates([...trusted, cert]);
      return `https://127.0.0.1:${await listen(createSecure({ key, cert }))}/`;
    },
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
  },
};

async function toolFault(url: string): Promise<string> {
  const guard = { fault: () => undefined, allows: () => true };
  const guarded = new GuardedFetch({ url: new URL(url), headers: {}, guard });
  try {
    await guarded.fetch(url, { method: 'POST', body: '{}' });
    return 'answered';
  } catch (error) {
    return (error as { fault: string }).fault;
  } finally {
    guarded.close();
  }
}

describe('what surely was not sent may be sent again, to an app and to a tool server (SPEC 13.6)', () => {
  test.each(Object.entries(UNSENT))('%s', async (_case, { at, code }) => {
    const url = await at();
    const outcome = await postText(url, '{}', {}, AbortSignal.timeout(TIMEOUT_MS));
    expect(outcome).toEqual({ kind: 'unreached', reason: expect.stringMatching(code) });
    expect(await toolFault(url)).toBe('unreachable');
  });

  test('a connection that ends without an answer may have brought it there', async () => {
    const port = await listen(createServer((socket) => socket.once('data', () => socket.destroy())));
    const url = `http://127.0.0.1:${port}/`;
    expect(await postText(url, '{}', {}, AbortSignal.timeout(TIMEOUT_MS))).toMatchObject({ kind: 'unknown' });
    expect(await toolFault(url)).toBe('broken');
  });
});
