import { isIPv4 } from 'node:net';
import { type BasesFacet, SURFACES, type SurfaceName } from '../plugins/contract.ts';
import type { SurfacePlaces } from './surfaces.ts';

/** What is known of one `Host` value. */
export interface KnownHost {
  /** The surface that has this host name. */
  readonly surface: SurfaceName | undefined;
  /** `ip`: only where it is the address the connection came in on. */
  readonly believed: boolean | 'ip';
  /** Public bases for this host, where the request came by a prefix or by the host name of its surface. */
  bases(scheme: 'http' | 'https', byHost: boolean): BasesFacet;
}

export type Hosts = (value: string) => KnownHost;

/** Host values are the client's to choose, so the memory of them is bounded. */
const REMEMBERED = 512;
const VALID = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/;

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

  return (value) => {
    let known = remembered.get(value);
    if (known === undefined) {
      if (remembered.size >= REMEMBERED) remembered.clear();
      known = learn(value.toLowerCase());
      remembered.set(value, known);
    }
    return known;
  };

  function learn(value: string): KnownHost {
    // What no URL can hold, say port 99999 or an empty `xn--` label, is no host: links could not be made with it.
    const name = URL.canParse(`http://${value}`) ? VALID.exec(value)?.[1] : undefined;
    const surface = name === undefined ? undefined : lookUp(name, (key) => surfaceByName.get(key));
    const made = new Map<string, BasesFacet>();
    return {
      surface,
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
    if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return true;
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

/** The name itself, then each `*.` above it. */
function lookUp<T>(name: string, find: (key: string) => T | undefined): T | undefined {
  let found = find(name);
  for (let dot = name.indexOf('.'); found === undefined && dot !== -1; dot = name.indexOf('.', dot + 1)) {
    found = find(`*${name.slice(dot)}`);
  }
  return found;
}
