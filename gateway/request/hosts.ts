import { isIPv4, isIPv6 } from 'node:net';
import { type BasesFacet, SURFACES, type SurfaceName } from '../../plugins/contract.ts';
import type { SurfaceAddresses } from './surfaces.ts';

/** One value of `Host`. */
export interface ResolvedHost {
  /** The surface that has this host name. */
  readonly surface: SurfaceName | undefined;
  /** A name of this service, a loopback name or an IP literal: none of them can belong to a page of another origin. */
  readonly known: boolean;
  /** Whether links may contain it. `ip`: only where it is the local address of the connection. */
  readonly trusted: boolean | 'ip';
  /** Public base URLs for this host; `byHost` where its name, not a prefix, chose the surface. */
  bases(scheme: 'http' | 'https', byHost: boolean): BasesFacet;
}

export type ResolveHost = (value: string) => ResolvedHost;

/** Clients choose host values, so the cache is bounded. */
const MOST_HOSTS = 512;
/** 253 characters of a name (RFC 1035 section 2.3.4), a dot at its end and a port. */
const LONGEST_HOST = 260;
const VALID = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/;
/** A value of `Host` (RFC 9110 section 7.2); the port may be empty, an IPv6 address may have a zone. */
const NAMED = /^(\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/;

/**
 * Trusts loopback names, hosts and public URLs of the surfaces, and `allowedHosts`. Any other host in a link could
 * lead clients, and caches, to the server of an attacker.
 */
export function hostResolver(addresses: SurfaceAddresses, allowedHosts: readonly string[]): ResolveHost {
  const surfaceByName = new Map<string, SurfaceName>();
  const allowed = new Set(allowedHosts);
  for (const name of SURFACES) {
    const { hosts, publicUrl } = addresses[name];
    for (const host of hosts) surfaceByName.set(host, name);
    if (publicUrl !== null) allowed.add(new URL(publicUrl).hostname);
  }
  const cache = new Map<string, ResolvedHost>();
  const tooLong = resolve('');

  return (value) => {
    if (value.length > LONGEST_HOST) return tooLong;
    let resolved = cache.get(value);
    if (resolved === undefined) {
      if (cache.size >= MOST_HOSTS) cache.clear();
      resolved = resolve(value.toLowerCase());
      cache.set(value, resolved);
    }
    return resolved;
  };

  function resolve(value: string): ResolvedHost {
    const named = withoutDot(NAMED.exec(value)?.[1] ?? '');
    // A link cannot hold every such value, say port 99999 or an empty `xn--` label.
    const valid = URL.canParse(`http://${value}`) ? VALID.exec(value)?.[1] : undefined;
    const name = valid === undefined ? undefined : withoutDot(valid);
    const surface = name === undefined ? undefined : lookUp(name, (key) => surfaceByName.get(key));
    const made = new Map<string, BasesFacet>();
    return {
      surface,
      known: surface !== undefined || isLiteral(named) || isTrusted(named) === true,
      trusted: name === undefined ? false : surface !== undefined || isTrusted(name),
      bases(scheme, byHost) {
        const key = byHost ? `${scheme} by host` : scheme;
        let bases = made.get(key);
        if (bases === undefined) {
          bases = makeBases(`${scheme}://${value}`, byHost ? surface : undefined);
          made.set(key, bases);
        }
        return bases;
      },
    };
  }

  function isTrusted(name: string): boolean | 'ip' {
    if (isLoopbackName(name) || name === '[::1]') return true;
    if (isIPv4(name) && name.startsWith('127.')) return true;
    if (lookUp(name, (key) => allowed.has(key) || undefined)) return true;
    return isIPv4(name) || name.startsWith('[') ? 'ip' : false;
  }

  function makeBases(origin: string, withoutPrefix: SurfaceName | undefined): BasesFacet {
    const entries = SURFACES.map((name) => {
      const { prefix, publicUrl } = addresses[name];
      return [name, publicUrl ?? (name === withoutPrefix ? origin : origin + prefix)];
    });
    return Object.freeze(Object.fromEntries(entries) as Record<SurfaceName, string>);
  }
}

/** These names always resolve to a loopback address (RFC 6761 section 6.3). */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function isLiteral(name: string): boolean {
  if (!name.startsWith('[')) return isIPv4(name);
  // A zone is `%25eth0` in a URL (RFC 6874) and `%eth0` elsewhere.
  return isIPv6(name.slice(1, -1).replace(/%.*$/s, ''));
}

/** A dot at the end makes the name absolute (RFC 1034 section 3.1); it is the same host. */
function withoutDot(name: string): string {
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/** The name itself, then each `*.` above it. */
function lookUp<T>(name: string, find: (key: string) => T | undefined): T | undefined {
  let found = find(name);
  for (let dot = name.indexOf('.'); found === undefined && dot !== -1; dot = name.indexOf('.', dot + 1)) {
    found = find(`*${name.slice(dot)}`);
  }
  return found;
}
