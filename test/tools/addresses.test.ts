import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OutwardGuard } from '../../lib/ports/outward.ts';
import { outwardGuard } from '../../lib/tenants/apiRoots.ts';
import { isPrivateAddress } from '../../lib/tenants/privateNetworks.ts';
import { GuardedFetch, type Resolve } from '../../lib/tools/guardedFetch.ts';
import { toolOpener } from '../../lib/tools/index.ts';
import { type RunningMcp, startMcp, textTool } from '../standins/mcp.ts';
import { run, toolWorld } from './setup.ts';

/** A server that a test reaches as one of the public network would be: by http, on this machine, by this name only. */
const PUBLIC = 'public.example';

/** As on a deployment, but that http will do, and that one port of this machine passes for a public server. */
function guardOf(port: number): OutwardGuard {
  const { fault, allows } = outwardGuard(undefined);
  const https = (url: URL) => new URL(url.href.replace(/^http:/u, 'https:'));
  return {
    fault: (url) => fault(https(url)),
    allows: (url, address) => (url.hostname === PUBLIC && url.port === String(port)) || allows(https(url), address),
  };
}

const [loopback, metadata] = ['127.0.0.1', '169.254.169.254'].map((address) => [{ address, family: 4 }]);
const to = (found: typeof loopback) => (async () => found) as Resolve;

let [mcp, inside, reached]: [RunningMcp, Server, string[]] = [] as never;
beforeEach(async () => {
  mcp = await startMcp({ tools: [textTool('list')] });
  reached = [];
  inside = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"secret":"of the inside"}');
  });
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  expect(reached).toEqual([]);
  mcp.stop();
  inside.close();
});
const insidePort = () => (inside.address() as AddressInfo).port;

async function faultAt(url: string, { resolve = to(loopback) }: { resolve?: Resolve } = {}) {
  const world = toolWorld({ guard: guardOf(mcp.port), resolve });
  const { catalog } = await world.connect('s', url);
  return catalog.fault;
}

const FORBIDDEN = 'Its address leads to a place that is not allowed here.';

describe('DESIGN 6: where no tool server may lead', () => {
  test('one of the public network is reached', async () => {
    expect(await faultAt(`http://${PUBLIC}:${mcp.port}/mcp`)).toBeUndefined();
  });

  test.each([
    ...[
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '0',
      'localhost',
      'a.localhost',
      '[::1]',
      '[::]',
    ],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fe80::1]'],
    ...['[fd00:ec2::254]', '169.254.169.254', '10.0.0.1', '100.64.0.1', '192.168.0.1', 'metadata.google.internal'],
  ])('not to %s', async (host) => {
    expect(await faultAt(`http://${host}:${insidePort()}/mcp`)).toBe(FORBIDDEN);
  });

  test.each([
    ['this machine', to(loopback)],
    ['metadata', to(metadata)],
    ['IPv6', to([{ address: '::1', family: 6 }])],
    ['a mapped address', to([{ address: '::ffff:127.0.0.1', family: 6 }])],
    ['a public and a private address', to([{ address: '93.184.215.14', family: 4 }, ...(loopback ?? [])])],
    ['nothing', to([])],
  ])('not by a name that leads to %s', async (_what, resolve) => {
    expect(await faultAt(`http://elsewhere.example:${insidePort()}/mcp`, { resolve })).toBe(FORBIDDEN);
  });

  test('a name that leads elsewhere after the look is connected to what was looked at, once a connection', async () => {
    let looks = 0;
    const resolve: Resolve = async () => {
      looks++;
      return looks === 1 ? (loopback ?? []) : [{ address: '10.0.0.1', family: 4 }];
    };
    const fetch = new GuardedFetch({
      ...{ url: new URL(`http://${PUBLIC}:${mcp.port}/mcp`), headers: {}, resolve },
      guard: { fault: () => undefined, allows: (_url, address) => address === '127.0.0.1' },
    });
    const ask = () => fetch.fetch(`http://${PUBLIC}:${mcp.port}/mcp`, { method: 'POST', body: '{}' });
    expect((await ask()).status).toBe(400);
    const second = ask();
    await expect(second).rejects.toMatchObject({ fault: 'forbidden' });
    expect(looks).toBe(2);
    fetch.close();
  });
});

describe('redirects', () => {
  const redirect = (location: string, status = 307) => {
    mcp.intercept = ({ method }, { url }, response) => {
      if (method === 'server/discover' || url !== '/mcp') return false;
      response.writeHead(status, { location }).end();
      return true;
    };
  };

  test.each([
    ...[
      'http://127.0.0.1:PORT/',
      'http://169.254.169.254/latest/meta-data',
      'http://[::1]:PORT/',
      '//2130706433:PORT/',
    ],
    ...['http://localhost:PORT/', 'http://elsewhere.example:PORT/', 'ftp://public.example/x', 'file:///etc/passwd'],
  ])('not to %s', async (location) => {
    redirect(location.replace('PORT', String(insidePort())));
    expect(await faultAt(`http://${PUBLIC}:${mcp.port}/mcp`)).toBe(FORBIDDEN);
  });

  test.each([303, 300, 304, 305])('not by the status %i', async (status) => {
    redirect('/other', status);
    expect(await faultAt(`http://${PUBLIC}:${mcp.port}/mcp`)).not.toBeUndefined();
    expect(mcp.requests.filter(({ rpc }) => rpc === 'initialize')).toHaveLength(1);
  });

  test('without end, without a place, and with a password end', async () => {
    for (const location of ['/mcp', '', 'http://a:b@public.example/']) {
      redirect(location);
      expect(await faultAt(`http://${PUBLIC}:${mcp.port}/mcp`)).toBe(
        'It redirects to where no request can be sent to.',
      );
    }
    expect(mcp.requests.filter(({ rpc }) => rpc === 'initialize')).toHaveLength(4 + 1 + 1);
  });

  test('within the server are followed with the headers; to another origin without them', async () => {
    const other = await startMcp({ tools: [textTool('list')] });
    const world = toolWorld({
      resolve: to(loopback),
      guard: { fault: () => undefined, allows: () => true },
    });
    const plain = { 'x-key': 'canary-of-a-header' };
    redirect('/moved');
    await world.connect('s', `http://${PUBLIC}:${mcp.port}/mcp`, { plain });
    expect(mcp.requests.filter(({ rpc }) => rpc === 'tools/list').every(({ headers }) => headers['x-key'])).toBe(true);
    redirect(other.url);
    expect((await world.connect('s', `http://${PUBLIC}:${mcp.port}/mcp`, { plain, revision: '2' })).catalog.fault).toBe(
      'It failed. (HTTP status 400)',
    );
    const sent = other.requests.map(({ headers }) => headers);
    expect(sent.length).toBeGreaterThan(0);
    for (const headers of sent) expect([headers['x-key'], headers['mcp-session-id']]).toEqual([undefined, undefined]);
    other.stop();
  });
});

test('a private network is told from the public one in every form of an address', () => {
  const privates = [
    '0.0.0.0',
    '192.0.0.8',
    '198.19.0.1',
    '203.0.113.1',
    '255.255.255.255',
    '::',
    '2001::1',
    'fec0::1',
    '',
  ];
  const publics = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'];
  expect(privates.filter((address) => !isPrivateAddress(address))).toEqual([]);
  expect(publics.filter(isPrivateAddress)).toEqual([]);
  expect(isPrivateAddress('fe80::1%eth0')).toBe(true);
});

test('a tool whose server has come to lead inside fails in words', async () => {
  let found = loopback;
  const world = toolWorld({ guard: guardOf(mcp.port), resolve: async () => found ?? [] });
  await world.connect('s', `http://${PUBLIC}:${mcp.port}/mcp`);
  found = metadata;
  const moved = { ...guardOf(mcp.port), allows: (_url: URL, address: string) => !isPrivateAddress(address) };
  const later = toolWorld({ guard: moved, resolve: async () => found ?? [], tenants: world.tenants });
  const box = await toolOpener(later.deps)(await world.tenant());
  expect(await run(box, 's_list')).toEqual({
    text: `The tool server “s” could not do this. ${FORBIDDEN}`,
    error: true,
  });
  await box.close();
});
