import { isIP } from 'node:net';
import type { OutwardGuard } from '../ports/outward.ts';
import { isPrivateAddress } from './privateNetworks.ts';

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

/**
 * As `outwardPolicy`, and for the IP addresses that hosts turn out to have. An https origin on the list is allowed
 * wherever it lies: whoever deployed Conch named it.
 * @param list as of `apiRootPolicy`.
 */
export function outwardGuard(list: string | undefined): OutwardGuard {
  const fault = outwardPolicy(list);
  const listed = apiRootPolicy(list);
  return {
    fault: (url) => (listed(url) ? undefined : fault(url)),
    allows: (url, address) => listed(url) || !isPrivateAddress(address),
  };
}

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa)$/;

/**
 * A host that is a name is looked at as a name only: nobody asks what it leads to, which may change at any time.
 * @param hostname of a `URL`, which writes each form of an IP address in one way.
 */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) === 0 ? LOCAL_NAME.test(host) || !host.includes('.') : isPrivateAddress(host);
}

function originOf(entry: string): string[] {
  return URL.canParse(entry) ? [new URL(entry).origin] : [];
}
