import { hash } from 'node:crypto';
import type { KeyFacts, Principal } from '../../core/contract.ts';
import type { Kit } from '../contract.ts';
import { FeedCache } from '../feed-cache.ts';

export interface KnownKey {
  readonly facts: KeyFacts;
  readonly principal: Principal;
  /** Milliseconds since 1970; Infinity = never. */
  readonly expires: number;
}

export interface KnownKeys {
  find(token: string): Promise<KnownKey | undefined>;
  close(): void;
}

/** Keys that were presented lately, under their hash, so that no key in plain text stays in memory. */
export function knownKeys(kit: Kit, entries: number): KnownKeys {
  const cache = new FeedCache<KnownKey>({
    feed: kit.feed,
    entries,
    lookUp: async (token) => {
      const facts = await kit.core.access.key(token);
      if (facts === undefined) return undefined;
      const { id, kind, user, expires } = facts;
      return {
        facts,
        principal: { kind: 'key', key: id, keyKind: kind, user },
        expires: expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires),
      };
    },
    projectOf: ({ facts }) => facts.project,
  });
  return {
    find: (token) => cache.get(token, hash('sha256', token, 'base64')),
    close: () => cache.close(),
  };
}
