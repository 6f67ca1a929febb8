import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { GuardedFetch } from '../../lib/tools/guardedFetch.ts';

const read = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const [key, cert] = [read('key.pem'), read('certificate.pem')];
const trusted = getCACertificates('default');

beforeAll(() => setDefaultCACertificates([...trusted, cert]));
afterAll(() => setDefaultCACertificates(trusted));

let [server, asked, answers]: [Server, string[], { status: number; location?: string }[]] = [] as never;
beforeEach(async () => {
  [asked, answers] = [[], []];
  server = createServer({ key, cert }, (request, response) => {
    asked.push(`${request.headers.host?.split(':')[0]}${request.url} ${request.headers['x-key'] ?? '-'}`);
    const { status, location } = answers.shift() ?? { status: 200 };
    response.writeHead(status, location === undefined ? {} : { location }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => server.close());

const port = () => (server.address() as AddressInfo).port;
const at = (host: string, path = '/mcp') => `https://${host}:${port()}${path}`;

function fetchOf(url: string): GuardedFetch {
  return new GuardedFetch({
    ...{ url: new URL(url), headers: { 'x-key': 'secret' } },
    guard: { fault: () => undefined, allows: () => true },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
}

async function post(host: string) {
  const fetch = fetchOf(at(host));
  try {
    return (await fetch.fetch(at(host), { method: 'POST', body: '{}' })).status;
  } catch (error) {
    return (error as { fault: string }).fault;
  } finally {
    fetch.close();
  }
}

test('a connection to an address that was looked at still wants the certificate of the name', async () => {
  expect(await post('public.example')).toBe(200);
  expect(await post('other.example')).toBe('unreachable');
  expect(asked).toEqual(['public.example/mcp secret']);
});

test('a certificate that nobody trusts is none', async () => {
  setDefaultCACertificates(trusted);
  expect(await post('public.example')).toBe('unreachable');
  setDefaultCACertificates([...trusted, cert]);
  expect(asked).toEqual([]);
});

test('no redirect leads from https to http, and one within https is followed', async () => {
  answers = [{ status: 308, location: at('public.example', '/there') }];
  expect(await post('public.example')).toBe(200);
  expect(asked).toEqual(['public.example/mcp secret', 'public.example/there secret']);
  answers = [{ status: 307, location: `http://public.example:${port()}/there` }];
  expect(await post('public.example')).toBe('redirected');
});
