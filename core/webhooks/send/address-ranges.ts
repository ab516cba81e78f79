import { BlockList } from 'node:net';

/**
 * IPv4 space that is not on the open internet: the special-purpose registry of IANA (RFC 6890 and what followed it)
 * without the two anycast blocks that are globally reachable, multicast, and the address Azure's hosts serve their
 * guests at. Metadata services elsewhere live inside these (169.254.169.254, 100.100.100.200, 192.0.0.192).
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
 * Of global unicast, 2000::/3, what is not a host somewhere: protocol assignments with Teredo and ORCHID, 6to4
 * (the embedded address could be anything and nobody has a use for it since RFC 7526), and documentation. Everything
 * outside 2000::/3 is refused by that alone: loopback, link-local, unique
 * local (fd00:ec2::254 among them), site-local, multicast, IPv4-compatible, discard, SRv6.
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

/** Whether a host of the public internet can have the address, as `net.isIP` takes it, without zone. */
export function isPublicAddress(address: string): boolean {
  if (!address.includes(':')) return !refusedV4.check(address, 'ipv4');
  const groups = groupsOf(address);
  // IPv4 in the last 32 bits: mapped (RFC 4291 2.5.5.2), and what an IPv6-only network reaches the old internet by
  // (RFC 6052 2.1). They are as public as the address inside.
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) || startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0]))
    return isPublicAddress(embedded(groups));
  if (!globalUnicast.check(address, 'ipv6') || refusedV6.check(address, 'ipv6')) return false;
  // ISATAP (RFC 5214 6.1): the interface part names an IPv4 address that a tunnel leads to.
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
