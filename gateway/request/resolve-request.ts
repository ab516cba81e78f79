import type { IncomingMessage } from 'node:http';
import type { ClientFacet, Facets, SurfaceName } from '../../plugins/contract.ts';
import { clientOf, lastOf, type Peer, peerFinder } from './client.ts';
import { hostResolver, type ResolvedHost } from './hosts.ts';
import {
  type FoundSurface,
  LONGEST_TARGET,
  prefixFinder,
  type SurfaceAddresses,
  surfaceFinder,
} from './surfaces.ts';

export interface RequestSettings {
  readonly surfaces: SurfaceAddresses;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
}

export interface ResolvedRequest extends Pick<Facets, 'surface' | 'client' | 'bases'> {
  /** The host as the request names it, where it is not one of this service. */
  readonly unknownHost: string | undefined;
}

/** Finds surface, client and public base URLs of a request, before any plugin runs. Never throws. */
export function requestResolver(settings: RequestSettings): (request: IncomingMessage) => ResolvedRequest {
  const findSurface = surfaceFinder(prefixFinder(settings.surfaces));
  const resolveHost = hostResolver(settings.surfaces, settings.allowedHosts);
  const listsHosts = settings.allowedHosts.length > 0;
  const { peer: findPeer, isTrusted } = peerFinder(settings.trustedProxies);

  function surfaceOf(peer: Peer, target: string, byHost: SurfaceName | undefined): FoundSurface {
    const { latest } = peer;
    if (latest?.target === target && latest.byHost === byHost) return latest.found;
    const found = findSurface(target, byHost);
    peer.latest = target.length <= LONGEST_TARGET ? { target, byHost, found } : undefined;
    return found;
  }

  return (request) => {
    const peer = findPeer(request);
    const { headers } = request;
    const claimed = clientOf(peer, headers, isTrusted);
    const { target, authority } = splitTarget(request.url ?? '/');
    const given =
      (peer.trusted ? lastOf(headers['x-forwarded-host']) : undefined) ??
      authority ??
      (headers[':authority'] as string | undefined) ??
      headers.host;
    const named = given ?? '';
    const host = resolveHost(named);
    const client = isOwnClaim(claimed, peer, host) ? { ...claimed, loopback: false } : claimed;
    const { surface, byHost } = surfaceOf(peer, target, host.surface);
    const isTrustedHost = host.trusted === 'ip' ? isOwnAddress(named, peer.localAddress) : host.trusted;
    const bases = (isTrustedHost ? host : resolveHost(peer.ownHost)).bases(
      client.scheme,
      byHost && isTrustedHost,
    );
    // Health probes may use any name. A browser always sends a host.
    const isExempt = host.known || given === undefined || surface.name === 'health';
    const unknownHost = !isExempt && (listsHosts || isDirectLoopback(peer, client)) ? named : undefined;
    return { surface, client, bases, unknownHost };
  };
}

/**
 * A page of a foreign origin may send the headers of a trusted proxy to one on its visitor's machine: a loopback
 * address in them counts only where the host is one of this service.
 */
function isOwnClaim(claimed: ClientFacet, peer: Peer, host: ResolvedHost): boolean {
  return claimed.loopback && claimed !== peer.client && !host.known;
}

/** A page of a foreign origin reaches this service by its own name if that resolves to 127.0.0.1 (DNS rebinding). */
function isDirectLoopback(peer: Peer, client: ClientFacet): boolean {
  return client === peer.client && client.loopback;
}

/** The client of a proxy sends the whole URL in the request line, and its authority is the host (RFC 9112 3.2.2). */
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
