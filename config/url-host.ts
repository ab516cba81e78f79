import { isIPv6 } from 'node:net';

/** A host as it stands before a port: an IPv6 address is in brackets (RFC 3986 3.2.2). */
export function urlHost(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/** The host at which this machine reaches its own listener: one that is bound to all addresses answers at loopback. */
export function reachableHost(bound: string): string {
  if (bound === '0.0.0.0') return '127.0.0.1';
  return urlHost(bound === '::' ? '::1' : bound);
}
