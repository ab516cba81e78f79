import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { urlHost } from '../../config/url-host.ts';
import type { ClientFacet, SurfaceName } from '../../plugins/contract.ts';
import { plainAddress } from '../../plugins/counters/client-address.ts';
import { streamOf } from '../listeners/http2-messages.ts';
import { hasProxyHeader } from './proxy-headers.ts';
import type { FoundSurface } from './surfaces.ts';

/** The other end of a connection; the same for all its requests. */
export interface Peer {
  /** The client of requests without proxy headers. */
  readonly client: ClientFacet;
  readonly trusted: boolean;
  /** Local address of the connection, without brackets. */
  readonly localAddress: string;
  /** The listener's own `host:port`, for links where the host of the request is not trusted. */
  readonly ownHost: string;
  /** Of its last request: to compare two URLs costs less than to look one up, 0.09 instead of 0.33 µs a request. */
  latest:
    | { readonly target: string; readonly byHost: SurfaceName | undefined; readonly found: FoundSurface }
    | undefined;
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
        peer = describePeer(request, isTrusted);
        peers.set(connection, peer);
      }
      return peer;
    },
  };
}

/** HTTP/2 has a new proxy of the socket for each request, but one session. */
function connectionOf(request: IncomingMessage): object {
  const stream = streamOf(request);
  return stream ? (stream.session ?? request) : request.socket;
}

function describePeer({ socket }: IncomingMessage, isTrusted: IsTrusted): Peer {
  // An IPv4 client of a listener on `::` has the address `::ffff:192.0.2.7`; link-local addresses have a zone.
  const address = plainAddress(socket.remoteAddress ?? '') ?? '';
  const localAddress = plainAddress(socket.localAddress ?? '') ?? '127.0.0.1';
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  const host = urlHost(localAddress);
  const port = socket.localPort === (scheme === 'https' ? 443 : 80) ? '' : `:${socket.localPort}`;
  const trusted = isTrusted(address);
  return {
    client: Object.freeze({ address, loopback: isLoopback(address), viaTrustedProxy: trusted, scheme }),
    trusted,
    localAddress,
    ownHost: host + port,
    latest: undefined,
  };
}

/** The client of a request: the peer, or the client that trusted proxies name. */
export function clientOf(peer: Peer, headers: IncomingHttpHeaders, isTrusted: IsTrusted): ClientFacet {
  if (!hasProxyHeader(headers)) return peer.client;
  // Ignores the headers of an untrusted peer; behind a proxy the client need not be on this machine.
  if (!peer.trusted) return { ...peer.client, loopback: false };
  const proto = lastOf(headers['x-forwarded-proto'])?.toLowerCase();
  const scheme = proto === 'https' || proto === 'http' ? proto : peer.client.scheme;
  const named = forwardedAddress(headers['x-forwarded-for'], isTrusted);
  const address = named ?? peer.client.address;
  return { address, loopback: named !== undefined && isLoopback(named), viaTrustedProxy: true, scheme };
}

/** The right-most entry that is not a trusted proxy: a client can forge the entries left of it. */
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

/** The last value of a header; undefined where it is empty, as some proxies send it for what they do not know. */
export function lastOf(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(',').at(-1)?.trim() || undefined;
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
