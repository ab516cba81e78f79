import { BlockList } from 'node:net';

/**
 * IPv4 addresses outside of the public internet: IANA's special-purpose registry (RFC 6890 and later) without its two
 * globally reachable anycast blocks, multicast, and the host address of Azure. Other metadata services are inside
 * these ranges (169.254.169.254, 100.100.100.200, 192.0.0.192).
 */
const REFUSED_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Ranges of global unicast (2000::/3) without public hosts: protocol assignments with Teredo and ORCHID, 6to4 (it embeds
 * any address, and is obsolete since RFC 7526), and documentation. Addresses outside of 2000::/3 are refused anyway:
 * loopback, link-local, unique local (such as fd00:ec2::254), site-local, multicast, IPv4-compatible, discard, SRv6.
 */
const REFUSED_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const refusedV4 = listOf(REFUSED_V4, 'ipv4');
const refusedV6 = listOf(REFUSED_V6, 'ipv6');
const globalUnicast = listOf([['2000::', 3]], 'ipv6');

function listOf(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, family);
  return list;
}

/** Whether a host of the public internet can have the address, in the form of `net.isIP`, without zone. */
export function isPublicAddress(address: string): boolean {
  if (!address.includes(':')) return !refusedV4.check(address, 'ipv4');
  const groups = groupsOf(address);
  // IPv4 in the last 32 bits: mapped (RFC 4291 2.5.5.2) or translated (RFC 6052 2.1). The embedded address decides.
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) || startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0]))
    return isPublicAddress(embedded(groups));
  if (!globalUnicast.check(address, 'ipv6') || refusedV6.check(address, 'ipv6')) return false;
  // ISATAP (RFC 5214 6.1): the interface id contains the IPv4 address of a tunnel endpoint.
  const isatap = (groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe;
  return !isatap || isPublicAddress(embedded(groups));
}

function startsWith(groups: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((group, at) => groups[at] === group);
}

function embedded(groups: readonly number[]): string {
  const [high, low] = [groups[6] ?? 0, groups[7] ?? 0];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The URL parser writes the last 32 bits in hexadecimal too, and compresses in one way only.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = text.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail ? tail.split(':') : [];
  const gap = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...new Array<string>(gap).fill('0'), ...back].map((group) => Number.parseInt(group, 16));
}
