import { createHash } from 'node:crypto';
import type { Config, ConfigEntry } from './load-config.ts';

/** Where a process runs: different for two machines with one configuration. */
const OF_ONE_MACHINE = new Set(['host', 'port', 'tlsPort', 'listen', 'instance', 'gateway.processes']);

const known = new WeakMap<readonly ConfigEntry[], string>();

/**
 * Equal where two processes have the same effective settings, secrets, addresses and paths of files aside: 12 hexadecimal
 * digits of a SHA-256. Computed once for each configuration: a gateway reports it with each commit it confirms.
 */
export function configDigest({ entries }: Pick<Config, 'entries'>): string {
  let digest = known.get(entries);
  if (digest === undefined) {
    digest = digestOf(entries);
    known.set(entries, digest);
  }
  return digest;
}

function digestOf(entries: readonly ConfigEntry[]): string {
  const compared = entries
    .filter(({ path, secret, isPath }) => !secret && !isPath && !OF_ONE_MACHINE.has(path))
    .map(({ path, value }: ConfigEntry) => `${path}=${canonical(value)}\n`)
    .sort();
  return createHash('sha256').update(compared.join('')).digest('hex').slice(0, 12);
}

/** JSON with the keys of maps in order. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
