/**
 * What counts as one address: an IPv4 address, or the /64 network of an IPv6 one, since a host has all addresses
 * of its network to itself (RFC 4291 section 2.5.1).
 */
export function addressGroup(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const filled =
    tail === undefined ? before : [...before, ...zeros(8 - before.length - after.length), ...after];
  return filled
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(':');
}

function zeros(count: number): string[] {
  return Array.from({ length: Math.max(0, count) }, () => '0');
}
