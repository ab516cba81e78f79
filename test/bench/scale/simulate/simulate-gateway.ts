import type { Clock } from '../../../../plugins/contract.ts';
import { built } from '../../built.ts';
import { PROJECT, publisher, reader } from './gateway-traffic.ts';
import { seeded } from './zipf.ts';

export interface Traffic {
  readonly readsPerSecond: number;
  readonly publishesPerSecond: number;
  /** Simulated; the first third fills the cache and does not count. */
  readonly seconds: number;
}

/** Of one gateway, after the cache has filled. */
export interface Simulated {
  readonly reads: number;
  readonly hits: number;
  /** Of the calls of core: those that it answers with 304, and those it has to make, by kind. */
  readonly unchanged: number;
  readonly items: number;
  readonly listings: number;
  /** Commits and heartbeats that one link carries. */
  readonly feedBytes: number;
}

const HEARTBEATS_PER_SECOND = 4;
/** Answers are small here; the cache counts what it needs besides. */
const BODY = Buffer.from('{"item":{}}');
const BOUNDS = { staleMilliseconds: 1000, refreshMilliseconds: 50 };
const LIMITS = {
  maxBytes: 134_217_728,
  maxEntryBytes: 2_097_152,
  passSeconds: 0,
  onFeedGap: 'stale' as const,
};

/**
 * Runs cache, feed and the tag versions of core, as they are built, over simulated time. Core answers at once.
 *
 * @param seed of the readers of this gateway; publishes are the same for all
 */
export async function simulateGateway(traffic: Traffic, seed: number): Promise<Simulated> {
  const { AnswerCache } = await built<typeof import('../../../../plugins/response-cache/answer-cache.ts')>(
    'plugins/response-cache/answer-cache',
  );
  const { decide } = await built<typeof import('../../../../plugins/response-cache/decide.ts')>(
    'plugins/response-cache/decide',
  );
  const { HeaderWriter } = await built<typeof import('../../../../plugins/response-cache/cache-headers.ts')>(
    'plugins/response-cache/cache-headers',
  );
  const { RemoteFeed } = await built<typeof import('../../../../core/remote/client/remote-feed.ts')>(
    'core/remote/client/remote-feed',
  );
  const { CommittedTagVersions } = await built<
    typeof import('../../../../core/changes/committed-tag-versions.ts')
  >('core/changes/committed-tag-versions');

  let now = 0;
  const clock = { monotonic: () => now, now: () => new Date(now) } as Clock;
  const feed = new RemoteFeed((error) => {
    throw error;
  });
  const cache = new AnswerCache(LIMITS);
  cache.attach(feed, clock);
  cache.adopt(LIMITS, '');
  const core = new CommittedTagVersions({ sequence: 0 });
  const headers = new HeaderWriter({
    isPublic: true,
    browserSeconds: 0,
    sharedSeconds: 1,
    surrogateKeys: false,
    vendor: 'SVC',
  });
  const options = { clock, headers, entrySettings: '', sequenceHeader: 'x-svc-content-sequence' };

  const publish = publisher(1);
  const read = reader(seed);
  const times = seeded(seed + 1_000_000);
  const commits = seeded(2);
  const counts = { reads: 0, hits: 0, unchanged: 0, items: 0, listings: 0, feedBytes: 0 };
  const starts = (traffic.seconds * 1000) / 3;
  const next = (random: () => number, perSecond: number) => (-Math.log(1 - random()) * 1000) / perSecond;
  let sequence = 0;
  let commitAt = next(commits, traffic.publishesPerSecond);
  let readAt = next(times, traffic.readsPerSecond);
  feed.start({ sequence: 0, epoch: publish(0, 0).epoch }, undefined);
  for (const ends = traffic.seconds * 1000; ; ) {
    now = Math.min(commitAt, readAt);
    if (now > ends) break;
    const counted = now >= starts ? 1 : 0;
    if (commitAt <= readAt) {
      sequence += 1;
      const commit = publish(sequence, now);
      core.record({
        sequence,
        entries: commit.changes.map(({ project, tags }) => ({ projectId: project, tags })),
      } as unknown as Parameters<typeof core.record>[0]);
      // What the link carries, read as the gateway reads it.
      const line = `${JSON.stringify({ kind: 'commit', ...commit })}\n`;
      counts.feedBytes += counted * line.length;
      feed.commit(JSON.parse(line) as typeof commit, 0);
      commitAt += next(commits, traffic.publishesPerSecond);
      continue;
    }
    readAt += next(times, traffic.readsPerSecond);
    const { kind, key, tags } = read();
    counts.reads += counted;
    const entry = cache.get(key);
    const staleSince =
      entry && (cache.versions.isFresh(entry) ? Number.POSITIVE_INFINITY : cache.versions.staleSince(entry));
    const decision = decide({ staleSince, currentAt: undefined, now, mustFetch: false, ...BOUNDS });
    if (decision === 'serve') {
      counts.hits += counted;
      continue;
    }
    await cache.fetch(
      options,
      { text: key, path: '', query: '', project: PROJECT, isPublic: true },
      async (known) => {
        if (known && !core.changed(PROJECT, known.tags, known.sequence)) {
          counts.unchanged += counted;
          return { status: 304, headers: {}, body: null, tags: known.tags, sequence: core.sequence };
        }
        counts[kind === 'item' ? 'items' : 'listings'] += counted;
        return {
          status: 200,
          headers: { etag: `"${sequence}"`, 'content-type': 'application/json' },
          body: BODY,
          tags,
          sequence: core.sequence,
        };
      },
    );
  }
  const heartbeat = `${JSON.stringify({ kind: 'heartbeat', time: 123_456.789, sent: 123_456.999 })}\n`;
  counts.feedBytes += Math.round(((traffic.seconds * 2) / 3) * HEARTBEATS_PER_SECOND * heartbeat.length);
  return counts;
}
