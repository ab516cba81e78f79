import { isIPv4, isIPv6 } from 'node:net';
import { type BasesFacet, SURFACES, type SurfaceName } from '../../plugins/contract.ts';
import type { SurfacePlaces } from './surfaces.ts';

/** What is known of one `Host` value. */
export interface KnownHost {
  /** The surface that has this host name. */
  readonly surface: SurfaceName | undefined;
  /** A name of this service, a loopback name or an IP literal: what a page of a foreign origin cannot stand behind. */
  readonly known: boolean;
  /** Whether links may be made with it. `ip`: only where it is the address the connection came in on. */
  readonly believed: boolean | 'ip';
  /** Public bases for this host, where the request came by a prefix or by the host name of its surface. */
  bases(scheme: 'http' | 'https', byHost: boolean): BasesFacet;
}

export type Hosts = (value: string) => KnownHost;

/** Host values are the client's to choose, so the memory of them is bounded. */
const REMEMBERED = 512;
/** 253 characters of a name (RFC 1035 section 2.3.4), a dot at its end and a port. */
const LONGEST = 260;
const VALID = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/;
/** What may stand in `Host` (RFC 9110 section 7.2); the port may be empty, an IPv6 address may name its zone. */
const NAMED = /^(\[[^\]]*\]|[^:[\]]*)(?::\d*)?$/;

/**
 * Which hosts are believed: loopback names, hosts and public URLs of the surfaces, `allowedHosts`. Anything
 * else could make the service hand out links to a stranger's server, and store them in caches.
 */
export function makeHosts(places: SurfacePlaces, allowedHosts: readonly string[]): Hosts {
  const surfaceByName = new Map<string, SurfaceName>();
  const allowed = new Set(allowedHosts);
  for (const name of SURFACES) {
    const { hosts, publicUrl } = places[name];
    for (const host of hosts) surfaceByName.set(host, name);
    if (publicUrl !== null) allowed.add(new URL(publicUrl).hostname);
  }
  const remembered = new Map<string, KnownHost>();

  const tooLong = learn('');

  return (value) => {
    if (value.length > LONGEST) return tooLong;
    let known = remembered.get(value);
    if (known === undefined) {
      if (remembered.size >= REMEMBERED) remembered.clear();
      known = learn(value.toLowerCase());
      remembered.set(value, known);
    }
    return known;
  };

  function learn(value: string): KnownHost {
    const named = withoutDot(NAMED.exec(value)?.[1] ?? '');
    // Links cannot be made with what no URL can hold, say port 99999 or an empty `xn--` label.
    const valid = URL.canParse(`http://${value}`) ? VALID.exec(value)?.[1] : undefined;
    const name = valid === undefined ? undefined : withoutDot(valid);
    const surface = name === undefined ? undefined : lookUp(name, (key) => surfaceByName.get(key));
    const made = new Map<string, BasesFacet>();
    return {
      surface,
      known: surface !== undefined || isLiteral(named) || isBelieved(named) === true,
      believed: name === undefined ? false : surface !== undefined || isBelieved(name),
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

  function isBelieved(name: string): boolean | 'ip' {
    if (isLoopbackName(name) || name === '[::1]') return true;
    if (isIPv4(name) && name.startsWith('127.')) return true;
    if (lookUp(name, (key) => allowed.has(key) || undefined)) return true;
    return isIPv4(name) || name.startsWith('[') ? 'ip' : false;
  }

  function makeBases(origin: string, withoutPrefix: SurfaceName | undefined): BasesFacet {
    const entries = SURFACES.map((name) => {
      const { prefix, publicUrl } = places[name];
      return [name, publicUrl ?? (name === withoutPrefix ? origin : origin + prefix)];
    });
    return Object.freeze(Object.fromEntries(entries) as Record<SurfaceName, string>);
  }
}

/** RFC 6761 section 6.3: these never leave the machine. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function isLiteral(name: string): boolean {
  if (!name.startsWith('[')) return isIPv4(name);
  // A zone is `%25eth0` in a URL (RFC 6874) and `%eth0` elsewhere.
  return isIPv6(name.slice(1, -1).replace(/%.*$/s, ''));
}

/** A dot at the end says that the name is whole (RFC 1034 section 3.1): it is the same host. */
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
