import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { plainAddress } from '../../plugins/client-address.ts';
import type { ClientFacet } from '../../plugins/contract.ts';
import { hasProxyHeader } from './proxy-headers.ts';

/** What holds for every request of one connection. */
export interface Peer {
  /** The client where nobody claims to forward. */
  readonly plain: ClientFacet;
  readonly trusted: boolean;
  /** Address the connection came in on, without brackets. */
  readonly localAddress: string;
  /** The listener's own `host:port`, the answer where the request's host is not believed. */
  readonly ownHost: string;
}

export type FindPeer = (request: IncomingMessage) => Peer;

/** @param trustedProxies addresses and ranges (`10.0.0.0/8`) */
export function peerFinder(trustedProxies: readonly string[]): { peer: FindPeer; isTrusted: IsTrusted } {
  const isTrusted = trustList(trustedProxies);
  const peers = new WeakMap<object, Peer>();
  return {
    isTrusted,
    peer(request) {
      const connection = connectionOf(request);
      let peer = peers.get(connection);
      if (peer === undefined) {
        peer = look(request, isTrusted);
        peers.set(connection, peer);
      }
      return peer;
    },
  };
}

/** HTTP/2 hands out a new face of the socket with each request; its session is one. */
function connectionOf(request: IncomingMessage): object {
  const { stream } = request as unknown as { readonly stream?: { readonly session?: object } };
  return request.httpVersionMajor === 2 ? (stream?.session ?? request) : request.socket;
}

function look({ socket }: IncomingMessage, isTrusted: IsTrusted): Peer {
  // An IPv4 client of a listener on `::` shows as `::ffff:192.0.2.7`; link-local ones carry a zone.
  const address = plainAddress(socket.remoteAddress ?? '') ?? '';
  const localAddress = plainAddress(socket.localAddress ?? '') ?? '127.0.0.1';
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  const host = isIPv6(localAddress) ? `[${localAddress}]` : localAddress;
  const port = socket.localPort === (scheme === 'https' ? 443 : 80) ? '' : `:${socket.localPort}`;
  const trusted = isTrusted(address);
  return {
    plain: Object.freeze({ address, loopback: isLoopback(address), viaTrustedProxy: trusted, scheme }),
    trusted,
    localAddress,
    ownHost: host + port,
  };
}

/** The client behind this request: the peer, or whom trusted proxies name. */
export function clientOf(peer: Peer, headers: IncomingHttpHeaders, isTrusted: IsTrusted): ClientFacet {
  if (!hasProxyHeader(headers)) return peer.plain;
  // Somebody who may not speak for others claims to: nothing of it counts, nor does being on this machine.
  if (!peer.trusted) return { ...peer.plain, loopback: false };
  const proto = lastOf(headers['x-forwarded-proto'])?.toLowerCase();
  const scheme = proto === 'https' || proto === 'http' ? proto : peer.plain.scheme;
  const named = forwardedAddress(headers['x-forwarded-for'], isTrusted);
  const address = named ?? peer.plain.address;
  return { address, loopback: named !== undefined && isLoopback(named), viaTrustedProxy: true, scheme };
}

/** The right-most entry that is not a trusted proxy itself: entries left of it are the client's own claims. */
function forwardedAddress(header: string | string[] | undefined, isTrusted: IsTrusted): string | undefined {
  const entries = String(header ?? '').split(',');
  let address: string | undefined;
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = plainAddress(withoutPort(entries[at]!.trim()));
    if (entry === undefined) break;
    address = entry;
    if (!isTrusted(entry)) break;
  }
  return address;
}

export function lastOf(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(',').at(-1)?.trim();
}

export type IsTrusted = (address: string) => boolean;

function trustList(trustedProxies: readonly string[]): IsTrusted {
  if (trustedProxies.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of trustedProxies) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function withoutPort(entry: string): string {
  const bracket = /^\[([^\]]*)\]/.exec(entry);
  if (bracket) return bracket[1]!;
  return entry.indexOf(':') === entry.lastIndexOf(':') ? entry.replace(/:.*$/s, '') : entry;
}

function isLoopback(address: string): boolean {
  return address === '::1' || (address.startsWith('127.') && isIPv4(address));
}
