import { type CancelSignal, type CoreRequest, ServiceError } from '../../core/contract.ts';
import { CollapsedFetches, type Joined } from '../caching/collapsed-fetches.ts';
import { isCoreFailure } from '../caching/core-failure.ts';
import { LOST_FEED_BOUND_MS } from '../caching/feed-loss.ts';
import { discard, type FetchedAnswer } from '../caching/subrequest.ts';
import type { CacheVerdict } from '../contract.ts';
import type { CacheDirectives } from '../http/cache-directives.ts';
import type { AnswerCache, CachedAnswer, Fetched } from './answer-cache.ts';
import { FRESH_STATUS, type Status } from './cache-headers.ts';
import { decide } from './decide.ts';
import type { Entry } from './entry.ts';
import { FRESH } from './feed-tag-versions.ts';

export interface ReusedEntry {
  readonly entry: Entry;
  readonly verdict: CacheVerdict;
  readonly status: Status;
}

/** What to answer with: an entry, or an answer that cannot be cached. `pass`: fetch one for this request alone. */
export type Reuse = ReusedEntry | PassedAnswer | 'pass';

export interface PassedAnswer {
  readonly answer: FetchedAnswer;
  readonly verdict: 'miss';
  /** Core stops reading for it. */
  readonly cancel: () => void;
}

/** Calls the listener when the client disconnects; returns what stops listening. */
export type OnDisconnect = (listener: () => void) => () => void;

export interface ReuseOptions {
  readonly cache: AnswerCache;
  readonly now: () => number;
  /** While the feed is lost: when the entry was last known to be current. */
  readonly currentAt: (entry: Entry) => number | undefined;
  readonly feedLost: 'brief' | 'off';
  readonly staleMilliseconds: number;
  readonly refreshMilliseconds: number;
  readonly waitMilliseconds: number;
  readonly staleIfErrorMilliseconds: number;
}

/** @param atLeast see `CoreRequest` */
export type Run = (signal: CancelSignal, atLeast?: CoreRequest['atLeast']) => Promise<Fetched>;
type Reuser = (
  key: string,
  directives: CacheDirectives,
  run: Run,
  onDisconnect: OnDisconnect,
) => Promise<Reuse>;

const LATE = Symbol('late');
const FEED_LOST = '; detail=feed-lost';

/** The table of the README. */
export function reuser(options: ReuseOptions): Reuser {
  const { cache, now, currentAt: currentAtOf, staleMilliseconds, refreshMilliseconds } = options;
  const { versions } = cache;
  // Not shared with the pipeline before a reload, whose plugins run its fetches.
  const fetches = new CollapsedFetches<Fetched>();

  return async (key, { wait, minSequence }, run, onDisconnect) => {
    const began = now();
    if (cache.isUncacheable(key, began)) return 'pass';
    const entry = cache.get(key);
    const staleSince = entry && versions.staleSince(entry);
    const isReported = staleSince === FRESH && Math.max(versions.newest, entry!.sequence) >= minSequence;
    const currentAt = entry && currentAtOf(entry);
    const isOff = currentAt !== undefined && options.feedLost === 'off';
    const mustFetch = wait || isOff || (minSequence > 0 && !isReported);
    const situation = { staleSince, currentAt, mustFetch, staleMilliseconds, refreshMilliseconds };
    const decision = decide({ now: began, ...situation });
    if (decision === 'serveFlagged') return flagged(entry!, currentAt!, 'stale', FEED_LOST);
    if (decision === 'serve') return { entry: entry!, verdict: 'hit', status: FRESH_STATUS };
    if (decision === 'refresh') {
      const joined = join('joinCurrent', key, run);
      // Never left: the fetch continues without its client, for later requests.
      joined.fetch.join();
      const fetched = await within(joined.fetch.promise, refreshMilliseconds).catch((): typeof LATE => LATE);
      if (fetched !== LATE && fetched.kind === 'cached')
        return reused(fetched, joined, entry, began, mustFetch);
      // No request takes what a refresh in the background brings and cannot be cached.
      if (joined.isOwn) joined.fetch.promise.then(discardUncacheable, ignore);
      return stale(entry!, staleSince!);
    }
    return waitFor(decision, key, run, entry, began, onDisconnect);
  };

  /** Several requests share a next fetch, so each of them shows what was committed until it began. */
  function join(decision: 'joinCurrent' | 'joinNext', key: string, run: Run): Joined<Fetched> {
    const atLeast = decision === 'joinNext' ? 'now' : undefined;
    return fetches[decision](key, (signal) => run(signal, atLeast));
  }

  async function waitFor(
    decision: 'joinCurrent' | 'joinNext',
    key: string,
    run: Run,
    entry: Entry | undefined,
    began: number,
    onDisconnect: OnDisconnect,
  ): Promise<Reuse> {
    const deadline = began + options.waitMilliseconds;
    let joined = join(decision, key, run);
    try {
      let fetched = await inTime(joined, deadline, onDisconnect);
      if (decision === 'joinCurrent' && !joined.isOwn && isTooOld(fetched)) {
        joined = join('joinNext', key, run);
        fetched = await inTime(joined, deadline, onDisconnect);
      }
      if (fetched.kind === 'cached') return reused(fetched, joined, entry, began, decision === 'joinNext');
      const answer = joined.isOwn ? fetched.take() : undefined;
      if (answer === undefined) return 'pass';
      const { fetch } = joined;
      return { answer, verdict: 'miss', cancel: () => fetch.cancel() };
    } catch (error) {
      if (entry === undefined || !isCoreFailure(error) || !mayServeOnError(entry)) throw error;
      return flagged(entry, outdatedSince(entry), 'stale-error', '; detail=stale-if-error');
    }
  }

  /** A shared fetch may have read what was there before a change that is older than the bound by now. */
  function isTooOld(fetched: Fetched): boolean {
    if (fetched.kind !== 'cached') return false;
    const { entry } = fetched;
    if (now() - versions.staleSince(entry) >= staleMilliseconds) return true;
    return now() - (currentAtOf(entry) ?? FRESH) >= LOST_FEED_BOUND_MS;
  }

  /** FRESH; or since when it is, or because the feed is lost may be, outdated. */
  function outdatedSince(entry: Entry): number {
    const since = versions.staleSince(entry);
    return since === FRESH ? (currentAtOf(entry) ?? FRESH) : since;
  }

  function mayServeOnError(entry: Entry): boolean {
    if (entry.generation !== versions.generation) return false;
    if (versions.staleSince(entry) === FRESH) {
      return now() - outdatedSince(entry) <= options.staleIfErrorMilliseconds;
    }
    entry.foundStale ??= now();
    return now() - entry.foundStale <= options.staleIfErrorMilliseconds;
  }

  function reused(
    { entry, isUnchanged }: CachedAnswer,
    { isOwn }: Joined<Fetched>,
    before: Entry | undefined,
    began: number,
    mustFetch: boolean,
  ): Reuse {
    const reason = mustFetch ? 'request' : before === undefined ? 'uri-miss' : 'stale';
    let cacheStatus = `headwater; fwd=${reason}`;
    cacheStatus += isUnchanged ? '; fwd-status=304' : '; stored';
    if (!isOwn) cacheStatus += '; collapsed';
    // What core confirms after the request was received is current, also while the feed is lost.
    const since = mustFetch
      ? FRESH
      : entry.confirmed >= began
        ? versions.staleSince(entry)
        : outdatedSince(entry);
    if (since !== FRESH) return stale(entry, since);
    const verdict = isUnchanged ? 'checked' : isOwn ? 'miss' : 'collapsed';
    return { entry, verdict, status: { ...FRESH_STATUS, cacheStatus } };
  }

  function stale(entry: Entry, staleSince: number): Reuse {
    return flagged(entry, staleSince, 'stale', '');
  }

  function flagged(entry: Entry, staleSince: number, verdict: CacheVerdict, detail: string): Reuse {
    const since = Number.isFinite(staleSince) ? staleSince : (entry.foundStale ?? now());
    const age = Math.max(0, Math.ceil((now() - since) / 1000));
    const cacheStatus = `headwater; hit; ttl=-${age}${detail}`;
    return { entry, verdict, status: { isStale: true, age, cacheStatus } };
  }

  async function inTime(
    { fetch, isOwn }: Joined<Fetched>,
    deadline: number,
    onDisconnect: OnDisconnect,
  ): Promise<Fetched> {
    const leave = fetch.join();
    const stopListening = onDisconnect(leave);
    const fetched = await within(fetch.promise, deadline - now()).finally(stopListening);
    if (fetched !== LATE) return fetched;
    leave();
    if (isOwn) fetch.promise.then(discardUncacheable, ignore);
    throw new ServiceError('unavailable', 'The content is not ready yet; try again in a moment.', {
      headers: { 'retry-after': '1' },
    });
  }
}

function discardUncacheable(fetched: Fetched): void {
  const answer = fetched.kind === 'uncacheable' ? fetched.take() : undefined;
  if (answer !== undefined) discard(answer);
}

function ignore(): void {}

async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds), LATE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
