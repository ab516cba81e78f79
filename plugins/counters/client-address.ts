/** What of an address is one client: IPv4 as it is, IPv6 its /64 network. */
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The canonical form of an address: `192.0.2.7`, also for `::ffff:192.0.2.7` or
 * `::ffff:c000:207`; IPv6 in its shortest form (RFC 5952). Brackets and a zone are dropped. Undefined for
 * anything else.
 */
export function plainAddress(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\]$/, '$1')
    .replace(/%.*$/s, '');
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (!mapped) return short;
  const [high, low] = mapped.slice(1).map((part) => Number.parseInt(part, 16)) as [number, number];
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/**
 * The address itself, or `2001:db8:0:7::/64`: a host has all addresses of its IPv6 network to itself (RFC 4291
 * section 2.5.1). A text that is no address is returned unchanged.
 */
export function addressGroup(text: string): string {
  const address = plainAddress(text);
  if (address === undefined) return text;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const network = [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':');
  return `${new URL(`http://[${network}::]`).hostname.slice(1, -1)}/64`;
}
