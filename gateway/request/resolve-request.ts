import type { IncomingMessage } from 'node:http';
import type { ClientFacet, Facets } from '../../plugins/contract.ts';
import { clientOf, lastOf, type Peer, peerFinder } from './client.ts';
import { makeHosts } from './hosts.ts';
import { prefixFinder, type SurfacePlaces, surfaceFinder } from './surfaces.ts';

export interface RequestSettings {
  readonly surfaces: SurfacePlaces;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
}

export interface ResolvedRequest extends Pick<Facets, 'surface' | 'client' | 'bases'> {
  /** Set where the request is for a host that this service is not: what it called it. */
  readonly unknownHost: string | undefined;
}

/** What the gateway itself knows of a request, before any plugin: surface, client, public bases. Never throws. */
export function requestResolver(settings: RequestSettings): (request: IncomingMessage) => ResolvedRequest {
  const findSurface = surfaceFinder(prefixFinder(settings.surfaces));
  const hosts = makeHosts(settings.surfaces, settings.allowedHosts);
  const listsHosts = settings.allowedHosts.length > 0;
  const { peer: findPeer, isTrusted } = peerFinder(settings.trustedProxies);

  return (request) => {
    const peer = findPeer(request);
    const { headers } = request;
    const resolved = clientOf(peer, headers, isTrusted);
    const { target, authority } = splitTarget(request.url ?? '/');
    const given =
      (peer.trusted ? lastOf(headers['x-forwarded-host']) : undefined) ??
      authority ??
      (headers[':authority'] as string | undefined) ??
      headers.host;
    const named = given ?? '';
    const host = hosts(named);
    const client = resolved === peer.plain || host.known ? resolved : withoutExceptions(resolved);
    const { surface, byHost } = findSurface(target, host.surface);
    const believed = host.believed === 'ip' ? isOwnAddress(named, peer.localAddress) : host.believed;
    const bases = (believed ? host : hosts(peer.ownHost)).bases(client.scheme, byHost && believed);
    // Health probes call a service by whatever name they have for it. A browser always names a host.
    const isExempt = host.known || given === undefined || surface.name === 'health';
    const unknownHost = !isExempt && (listsHosts || isDirectLoopback(peer, client)) ? named : undefined;
    return { surface, client, bases, unknownHost };
  };
}

/**
 * Pages of foreign origins reach a service on their visitor's own machine by a name of theirs that resolves to
 * 127.0.0.1 (DNS rebinding).
 */
function isDirectLoopback(peer: Peer, client: ClientFacet): boolean {
  return client === peer.plain && client.loopback;
}

/**
 * Such a page can write the headers of a trusted proxy itself, where one is on its visitor's machine: whom they name
 * is on this machine only for a host of this service.
 */
function withoutExceptions(client: ClientFacet): ClientFacet {
  return client.loopback ? { ...client, loopback: false } : client;
}

/** A proxy's client sends the whole URL in the request line, and its authority is the host (RFC 9112 3.2.2). */
function splitTarget(url: string): { readonly target: string; readonly authority?: string } {
  if (url.charCodeAt(0) === 0x2f) return { target: url };
  const whole = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(url);
  if (!whole) return { target: url };
  const rest = whole[2]!;
  return { target: rest.startsWith('/') ? rest : `/${rest}`, authority: whole[1]! };
}

function isOwnAddress(host: string, localAddress: string): boolean {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:.*$/s, '');
  return name.toLowerCase() === localAddress;
}
