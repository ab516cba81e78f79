import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from '../../../config/start-error.ts';
import { isLost, READ_ONLY } from './database-error.ts';
import { endSession, openSession, type Session } from './open-session.ts';
import { isOlder, type Timeline } from './timeline.ts';
import { urlsOf } from './urls-of.ts';

/** Longest wait for the answer of a server while the writable one is searched. */
const PROBE_MS = 2000;
/** The same of the only server. */
const CONNECT_MS = 5000;
/** Once a writable server was found, the others have this long to turn out to be newer. */
const GRACE_MS = 500;
/** A search that failed is not repeated before. */
const SEARCH_MS = 200;
/** Interval at which the other servers are looked at. */
const LOOK_MS = 2000;

type Answer = Pick<Session, 'url' | 'isStandby' | 'isWritable' | 'timeline'>;

/** A session whose server may turn out not to be the primary any more. */
export interface ServerSession {
  readonly timeline: Timeline | null;
  end(error: Error): void;
}

/**
 * The servers of a URL. Of those that accept writes, the one with the newest timeline is used: after a promotion the former
 * primary may still run, or come back.
 */
export class Servers {
  readonly urls: readonly string[];
  /** Called when sessions go to another server or timeline than before. */
  onMoved: (url: string, timeline: Timeline | null) => void = () => {};
  readonly #sessions = new Set<ServerSession>();
  #url: string | undefined;
  /** The newest one that was seen. */
  #timeline: Timeline | null = null;
  #search: Promise<string> | undefined;
  #looks: NodeJS.Timeout | undefined;
  #isLooking = false;

  readonly #acceptsStandby: boolean;

  /** @param acceptsStandby for a server that is only read */
  constructor(url: string, { acceptsStandby = false } = {}) {
    this.urls = urlsOf(url);
    this.#acceptsStandby = acceptsStandby;
    if (this.urls.length === 1) this.#url = url;
  }

  /** Longest time until a session can be used; another server may be the primary by now. */
  get connectMilliseconds(): number {
    return this.urls.length > 1 ? PROBE_MS : CONNECT_MS;
  }

  /**
   * Makes a session with the primary.
   * @param open makes one with a server; it calls `admit` with what the server answers
   */
  async connect<T>(open: (url: string) => Promise<T>): Promise<T> {
    if (this.#url !== undefined) {
      try {
        return await open(this.#url);
      } catch (error) {
        if (this.urls.length === 1) throw error;
      }
    }
    return open(await this.#find());
  }

  /** @throws for a server that accepts no writes, and for a former primary */
  admit({ url, isWritable, isStandby, timeline }: Answer): void {
    if (this.#acceptsStandby) return;
    if (!isWritable)
      throw readOnly(isStandby ? 'The server is a standby.' : 'The server accepts no writes at present.');
    if (isOlder(timeline, this.#timeline)) throw readOnly('The server is a former primary.');
    const before = this.#timeline;
    const isMoved = this.#url !== undefined && this.#url !== url;
    this.#url = url;
    this.#timeline = timeline ?? before;
    if (!isMoved && !isOlder(before, timeline)) return;
    for (const session of [...this.#sessions])
      if (isOlder(session.timeline, timeline)) session.end(new Error('A standby was promoted.'));
    this.onMoved(url, timeline);
  }

  add(session: ServerSession): void {
    this.#sessions.add(session);
    if (this.urls.length > 1) this.#looks ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  remove(session: ServerSession): void {
    this.#sessions.delete(session);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#looks);
    this.#looks = undefined;
  }

  #find(): Promise<string> {
    this.#search ??= this.#ask().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #ask(): Promise<string> {
    const rest = pause(SEARCH_MS);
    const found: Answer[] = [];
    let failure: unknown;
    const answers = this.urls.map(async (url) => {
      try {
        const answer = await probe(url);
        if (!answer.isWritable) throw readOnly('The server accepts no writes.');
        if (isOlder(answer.timeline, this.#timeline)) throw readOnly('The server is a former primary.');
        found.push(answer);
      } catch (error) {
        // The error of a server that answered says more.
        if (failure === undefined || !isLost(error)) failure = error;
        throw error;
      }
    });
    await Promise.any(answers).catch(() => rest);
    await Promise.race([Promise.allSettled(answers), pause(GRACE_MS)]);
    const [first, ...others] = found;
    if (first === undefined) throw failure;
    const isForeign = ({ timeline }: Answer) => timeline?.cluster !== first.timeline?.cluster;
    if (this.#timeline === null && others.some(isForeign))
      throw new StartError(
        'The addresses in the URL of the database are those of different databases, not of one with its standbys.',
      );
    const newest = others.reduce(
      (one, other) => (isOlder(one.timeline, other.timeline) ? other : one),
      first,
    );
    this.admit(newest);
    return newest.url;
  }

  /** A process whose sessions with a former primary are alive would not notice the promotion. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const url of this.urls) {
      if (url === this.#url) continue;
      const answer = await probe(url).catch(() => undefined);
      if (answer?.isWritable && isOlder(this.#timeline, answer.timeline)) this.admit(answer);
    }
    this.#isLooking = false;
  }
}

async function probe(url: string): Promise<Answer> {
  const session = await openSession(url, { session: '' }, PROBE_MS);
  void endSession(session);
  return session;
}

function readOnly(message: string): Error {
  return Object.assign(new Error(message), { code: READ_ONLY });
}
