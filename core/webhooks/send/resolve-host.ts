import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Most system lookups at a time, see below. */
const SYSTEM_LOOKUPS = 2;
/** Errors that mean the name server does not know the name; any other error means no answer. */
const UNKNOWN: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME']);

/**
 * Resolves a host through the name servers; names they do not know (hosts file, search domains, single labels)
 * through the system.
 *
 * The system's lookup occupies a thread of the pool that the database uses too, for as long as a silent name server
 * takes: four of them would stop the service. So most names avoid it, and few lookups use it at a time.
 */
export function systemResolver(): ResolveHost {
  const servers = new Resolver({ timeout: 5000, tries: 3 });
  const waiting: (() => void)[] = [];
  let running = 0;

  const lookUpInSystem: ResolveHost = async (host) => {
    if (running >= SYSTEM_LOOKUPS) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await lookup(host, { all: true, verbatim: true });
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };

  return async (host) => {
    if (!host.includes('.') || host.endsWith('.localhost')) return lookUpInSystem(host);
    const [v4, v6] = await Promise.allSettled([servers.resolve4(host), servers.resolve6(host)]);
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    for (const { reason } of [v4, v6].filter((answer) => answer.status === 'rejected')) {
      if (!UNKNOWN.has((reason as NodeJS.ErrnoException).code ?? '')) throw reason;
    }
    return lookUpInSystem(host);
  };
}
