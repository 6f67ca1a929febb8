import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are not the public one: private, shared, loopback, link-local (metadata), tests, multicast, reserved. */
const PRIVATE_V4 = blockList('ipv4', [
  ...(['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'] as const),
  ...(['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'] as const),
  ...(['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'] as const),
]);

/** Where hosts of the public IPv6 network are. Mapped and translated IPv4 addresses, and all private ones, lie outside. */
const GLOBAL_V6 = blockList('ipv6', ['2000::/3']);

/** What lies in it and leads elsewhere: Teredo and other tunnels with an IPv4 address inside, documentation. */
const SPECIAL_V6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

function blockList(family: 'ipv4' | 'ipv6', networks: readonly `${string}/${number}`[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an IP address does not belong to the public network. What is no IP address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const version = isIP(plain);
  if (version === 4) return PRIVATE_V4.check(plain, 'ipv4');
  return version !== 6 || !GLOBAL_V6.check(plain, 'ipv6') || SPECIAL_V6.check(plain, 'ipv6');
}
