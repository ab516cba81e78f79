import { type CancelSignal, type CoreAnswer, type CoreRequest, ServiceError } from '../../core/contract.ts';
import type { CacheVerdict } from '../contract.ts';
import type { AnswerCache, Fetched } from './answer-cache.ts';
import { discard } from './answer-cache.ts';
import { FRESH_STATUS, type Status } from './cache-headers.ts';
import type { Question } from './cache-key.ts';
import { decide } from './decide.ts';
import type { Entry } from './entry.ts';
import type { Flight } from './flights.ts';
import { FRESH } from './tag-versions.ts';

export interface ReusedEntry {
  readonly entry: Entry;
  readonly verdict: CacheVerdict;
  readonly status: Status;
}

/** What to answer: something kept, or core's answer that could not be; `pass`: ask core for oneself. */
export type Reuse = ReusedEntry | PassedAnswer | 'pass';

export interface PassedAnswer {
  readonly answer: CoreAnswer;
  readonly verdict: 'miss';
  /** Core is to stop reading for it. */
  readonly cancel: () => void;
}

/** Calls the listener when the client leaves; returns the way to stop listening. */
export type OnLeft = (listener: () => void) => () => void;

export interface ReuseOptions {
  readonly cache: AnswerCache;
  readonly now: () => number;
  readonly fetch: (question: Question, request: CoreRequest) => Promise<Fetched>;
  readonly staleMilliseconds: number;
  readonly refreshMilliseconds: number;
  readonly waitMilliseconds: number;
  readonly staleIfErrorMilliseconds: number;
}

export interface Wish {
  /** The wait header. */
  readonly wait: boolean;
  /** The answer is to show at least this sequence; 0 = any. */
  readonly atLeast: number;
}

type Reuser = (question: Question, wish: Wish, request: () => CoreRequest, onLeft: OnLeft) => Promise<Reuse>;

const LATE = Symbol('late');

/** The table of the README, cell by cell. */
export function reuser(options: ReuseOptions): Reuser {
  const { cache, now, staleMilliseconds, refreshMilliseconds } = options;
  const { versions, flights } = cache;

  return async (question, wish, request, onLeft) => {
    const { key } = question;
    const began = now();
    if (cache.passes(key, began)) return 'pass';
    const entry = cache.get(key);
    const staleSince = entry && versions.staleSince(entry);
    const isKnown = staleSince === FRESH && Math.max(versions.heard, entry!.sequence) >= wish.atLeast;
    const mustAsk = wish.wait || (wish.atLeast > 0 && !isKnown);
    const decision = decide({ staleSince, now: began, mustAsk, staleMilliseconds, refreshMilliseconds });
    if (decision === 'serve') return { entry: entry!, verdict: 'hit', status: FRESH_STATUS };
    const run = (signal: CancelSignal) => options.fetch(question, { ...request(), signal });
    if (decision === 'refresh') {
      const flight = flights.any(key, run);
      // Never left: it goes on without its client, for the next ones.
      flight.fetch.join();
      const fetched = await within(flight.fetch.promise, refreshMilliseconds).catch((): typeof LATE => LATE);
      if (fetched !== LATE && fetched.kind === 'kept') return reused(fetched, flight, entry, mustAsk);
      // A refresh that nobody waits for any more: what cannot be kept is nobody's.
      if (flight.isOwn) flight.fetch.promise.then(throwAway, ignore);
      return old(entry!, staleSince!);
    }
    return waiting(decision, question, run, entry, staleSince, onLeft);
  };

  async function waiting(
    decision: 'share' | 'ask',
    question: Question,
    run: (signal: CancelSignal) => Promise<Fetched>,
    entry: Entry | undefined,
    staleSince: number | undefined,
    onLeft: OnLeft,
  ): Promise<Reuse> {
    const { key } = question;
    const deadline = now() + options.waitMilliseconds;
    let flight = decision === 'ask' ? flights.later(key, run) : flights.any(key, run);
    try {
      let fetched = await inTime(flight, deadline, onLeft);
      if (decision === 'share' && !flight.isOwn && isTooOld(fetched)) {
        flight = flights.later(key, run);
        fetched = await inTime(flight, deadline, onLeft);
      }
      if (fetched.kind === 'kept') return reused(fetched, flight, entry, decision === 'ask');
      const answer = flight.isOwn ? fetched.take() : undefined;
      if (answer === undefined) return 'pass';
      const { fetch } = flight;
      return { answer, verdict: 'miss', cancel: () => fetch.cancel() };
    } catch (error) {
      if (entry === undefined || !isCoresFault(error) || !isWithinError(entry, staleSince)) throw error;
      return flagged(entry, staleSince!, 'stale-error', '; detail=stale-if-error');
    }
  }

  /** A shared fetch may have read what was there before a change that is older than the bound by now. */
  function isTooOld(fetched: Fetched): boolean {
    return fetched.kind === 'kept' && now() - versions.staleSince(fetched.entry) >= staleMilliseconds;
  }

  function isWithinError(entry: Entry, staleSince: number | undefined): boolean {
    if (entry.generation !== versions.generation) return false;
    if (staleSince === undefined || staleSince === FRESH) return true;
    entry.foundStale ??= now();
    return now() - entry.foundStale <= options.staleIfErrorMilliseconds;
  }

  function reused(
    { entry, isUnchanged }: Fetched & { readonly kind: 'kept' },
    flight: Flight<Fetched>,
    before: Entry | undefined,
    asked: boolean,
  ): Reuse {
    const reason = asked ? 'request' : before === undefined ? 'uri-miss' : 'stale';
    let cacheStatus = `headwater; fwd=${reason}`;
    cacheStatus += isUnchanged ? '; fwd-status=304' : '; stored';
    if (!flight.isOwn) cacheStatus += '; collapsed';
    const since = asked ? FRESH : versions.staleSince(entry);
    if (since !== FRESH) return old(entry, since);
    const verdict = isUnchanged ? 'checked' : flight.isOwn ? 'miss' : 'collapsed';
    return { entry, verdict, status: { ...FRESH_STATUS, cacheStatus } };
  }

  function old(entry: Entry, staleSince: number): Reuse {
    return flagged(entry, staleSince, 'stale', '');
  }

  function flagged(entry: Entry, staleSince: number, verdict: CacheVerdict, detail: string): Reuse {
    const since = Number.isFinite(staleSince) ? staleSince : (entry.foundStale ?? now());
    const age = Math.max(0, Math.ceil((now() - since) / 1000));
    const cacheStatus = `headwater; hit; ttl=-${age}${detail}`;
    return { entry, verdict, status: { isStale: true, age, cacheStatus } };
  }

  async function inTime(
    { fetch, isOwn }: Flight<Fetched>,
    deadline: number,
    onLeft: OnLeft,
  ): Promise<Fetched> {
    const leave = fetch.join();
    const stopListening = onLeft(leave);
    const fetched = await within(fetch.promise, deadline - now()).finally(stopListening);
    if (fetched !== LATE) return fetched;
    leave();
    if (isOwn) fetch.promise.then(throwAway, ignore);
    throw new ServiceError('unavailable', 'The content is not ready yet; try again in a moment.', {
      headers: { 'retry-after': '1' },
    });
  }
}

function isCoresFault(error: unknown): boolean {
  return !(error instanceof ServiceError) || error.status >= 500;
}

function throwAway(fetched: Fetched): void {
  if (fetched.kind === 'passing') discard(fetched.take());
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
