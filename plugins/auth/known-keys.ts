import type { KeyFacts, Principal } from '../../core/contract.ts';
import { FeedCache } from '../caching/feed-cache.ts';
import type { PluginServices } from '../contract.ts';

export interface KnownKey {
  readonly facts: KeyFacts;
  readonly principal: Principal;
  /** Milliseconds since 1970; Infinity = never. */
  readonly expires: number;
}

export interface KnownKeys {
  /** The cached key by the hash of its token, null where that is no key, undefined where it has to be looked up. */
  known(hash: string): KnownKey | null | undefined;
  find(hash: string): Promise<KnownKey | undefined>;
  close(): void;
}

/**
 * Keys that were presented recently, under their hash: no key stays in memory in plain text here. That of an open
 * connection does (`presentedKeys`). A key is cached until a change is tagged `key:<id>`; a token that is none until any project gets a key, because it
 * may be that one.
 */
export function knownKeys(
  services: Pick<PluginServices, 'feed' | 'clock' | 'core'>,
  bounds: { readonly entries: number; readonly missingEntries: number },
): KnownKeys {
  const cache = new FeedCache<KnownKey>({
    feed: services.feed,
    clock: services.clock,
    ...bounds,
    prefixes: ['key:', 'keys:'],
    tagOf: ({ facts }) => `key:${facts.id}`,
    tagOfMissing: () => 'keys:*',
    lookUp: async (hash) => {
      const facts = await services.core.access.key(hash);
      if (facts === undefined) return undefined;
      const { id, kind, user, expires } = facts;
      return {
        facts,
        principal: { kind: 'key', key: id, keyKind: kind, user },
        expires: expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires),
      };
    },
  });
  return {
    known: (hash) => cache.known(hash),
    find: (hash) => cache.get(hash),
    close: () => cache.close(),
  };
}
