import { BlockList, isIP } from 'node:net';

/**
 * Which addresses a channel's `apiRoot` may have (DESIGN 6): https addresses whose origin is on the deployment's list.
 * @param list origins separated by commas; `*` allows any address, also http, as on one's own machine. Absent: none.
 */
export function apiRootPolicy(list: string | undefined): (url: URL) => boolean {
  if (list?.trim() === '*') return () => true;
  const origins = new Set((list ?? '').split(',').flatMap((entry) => originOf(entry.trim())));
  return (url) => url.protocol === 'https:' && origins.has(url.origin);
}

/**
 * Which addresses a tenant may have Conch call besides: a provider's `baseURL`, a text channel's `callbackUrl`. On a
 * deployment https ones of the public network; any where the list is `*`.
 * @param list as of `apiRootPolicy`.
 * @returns why an address is refused, in words.
 */
export function outwardPolicy(list: string | undefined): (url: URL) => string | undefined {
  if (list?.trim() === '*') return () => undefined;
  return (url) => {
    if (url.protocol !== 'https:') return 'It has to be an https address here.';
    return isPrivate(url.hostname) ? 'An address of a private network is not allowed here.' : undefined;
  };
}

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$/;

const PRIVATE = new BlockList();
for (const [net, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv4');
}
for (const [net, bits] of [
  ...([
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2002::', 16],
    ['fc00::', 7],
    ['fe80::', 9],
    ['ff00::', 8],
  ] as const),
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv6');
}

/**
 * A host that is a name is looked at as a name only: nobody asks what it leads to, which may change at any time.
 * @param hostname of a `URL`, which writes each form of an IP address in one way.
 */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const version = isIP(host);
  if (version === 0) return LOCAL_NAME.test(host) || !host.includes('.');
  return PRIVATE.check(host, version === 6 ? 'ipv6' : 'ipv4');
}

function originOf(entry: string): string[] {
  return URL.canParse(entry) ? [new URL(entry).origin] : [];
}
