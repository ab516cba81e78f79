import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import { FEED_LOST_MS } from '../../changes/change-feed.ts';
import type { FeedMessage, FollowRequest } from '../../changes/gateway-feed.ts';
import type { CoreLog } from '../../log.ts';
import type { ProcessState } from '../../process-identity.ts';
import { bodyHash } from '../protocol/signature.ts';
import { toHeader } from '../protocol/wire.ts';
import { CoreClock } from './core-clock.ts';
import type { CoreConnection } from './core-connection.ts';
import type { RemoteFeed } from './remote-feed.ts';

/** Pauses before a link is opened again. */
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** A link that brings nothing for so long is opened again; heartbeats come every 250 ms. */
const SILENT_MS = FEED_LOST_MS;
/** The same until it has started: core may have to read the change log. */
const START_MS = 2 * FEED_LOST_MS;
const WATCH_MS = 100;
/** Between two confirmations, so that many commits are confirmed by one call. */
const CONFIRM_MS = 5;
const CALL_MS = 5000;

/** A link at present. */
export interface LinkReport {
  readonly isFollowing: boolean;
  /** Why it is not followed. */
  readonly failure: string;
  /** Milliseconds since the time until which the link has delivered every commit. */
  readonly age: number;
  /** What the core reported about itself when the link began. */
  readonly core: ProcessState | undefined;
}

/** Follows the change feed of one core, and confirms what it brings. */
export class FeedLink {
  readonly #connection: CoreConnection;
  readonly #feed: RemoteFeed;
  readonly #process: () => ProcessState;
  readonly #log: CoreLog;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #isFollowing = false;
  #failure = 'it has not answered yet';
  #completeUntil = Number.NEGATIVE_INFINITY;
  #core: ProcessState | undefined;

  /** @param process what the core lists of this process */
  constructor(connection: CoreConnection, feed: RemoteFeed, process: () => ProcessState, log: CoreLog) {
    this.#connection = connection;
    this.#feed = feed;
    this.#process = process;
    this.#log = log;
    this.#ended = this.#run();
  }

  get report(): LinkReport {
    const age = performance.now() - this.#completeUntil;
    return { isFollowing: this.#isFollowing, failure: this.#failure, age, core: this.#core };
  }

  close(): Promise<void> {
    this.#closing.abort(new Error('The gateway is stopping.'));
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    const { name } = this.#connection;
    let wait = SHORTEST_PAUSE_MS;
    let isReported = false;
    await this.#connection.greeted;
    while (!signal.aborted) {
      const link = new AbortController();
      const onClose = () => link.abort(signal.reason);
      signal.addEventListener('abort', onClose);
      const error = await this.#follow(link, () => {
        if (isReported) this.#log.info({ core: name }, 'The changes of core are followed again.');
        isReported = false;
        wait = SHORTEST_PAUSE_MS;
      }).catch((cause: Error) => cause);
      this.#isFollowing = false;
      this.#failure = error.message;
      link.abort(error);
      signal.removeEventListener('abort', onClose);
      if (signal.aborted) return;
      if (!isReported)
        this.#log.warn({ core: name, err: error }, 'The changes of core are not followed; trying again.');
      isReported = true;
      await pause(wait * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {});
      wait = Math.min(2 * wait, LONGEST_PAUSE_MS);
    }
  }

  /** @returns why the link has ended */
  async #follow(link: AbortController, started: () => void): Promise<Error> {
    const { signal } = link;
    const { position: after, gateway } = this.#feed;
    const head = toHeader({ gateway, after } satisfies FollowRequest);
    const watch = new Watch(link);
    try {
      const call = { path: '/feed', head, body: null, signal, timeout: 0, isLink: true };
      const reply = await this.#connection.call(call);
      const clock = new CoreClock();
      const confirmations = new Confirmations(this.#connection, this.#feed, this.#process, signal);
      const decoder = new StringDecoder('utf8');
      let epoch = '';
      let rest = '';
      for await (const bytes of reply.body) {
        watch.isAlive();
        const lines = (rest + decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))).split(
          '\n',
        );
        rest = lines.pop()!;
        for (const line of lines) {
          const message = JSON.parse(line) as FeedMessage;
          if (message.kind === 'heartbeat') {
            clock.observe(message.time);
            this.#completeUntil = clock.toLocal(message.time);
            this.#feed.complete(this.#completeUntil, epoch);
            continue;
          }
          ({ epoch } = message);
          if (message.kind === 'start') {
            clock.observe(message.time);
            this.#feed.start(message, after);
            this.#core = message.process;
            this.#isFollowing = true;
            started();
          } else {
            this.#feed.commit(message, Math.max(0, performance.now() - clock.toLocal(message.time)));
          }
        }
        confirmations.send();
      }
      return new Error('Core has ended the link.');
    } finally {
      watch.end();
    }
  }
}

/** Ends a link that brings nothing: a connection may be dead without an error. */
class Watch {
  readonly #timer: NodeJS.Timeout;
  #last = performance.now();
  #longest = START_MS;

  constructor(link: AbortController) {
    this.#timer = setInterval(() => {
      if (performance.now() - this.#last <= this.#longest) return;
      const last = this.#last;
      // Where this process was stopped or busy, what has arrived meanwhile is read first.
      setImmediate(() => {
        if (this.#last === last) link.abort(new Error('The link to core brings nothing.'));
      });
    }, WATCH_MS).unref();
  }

  isAlive(): void {
    this.#last = performance.now();
    this.#longest = SILENT_MS;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Tells core which commit the caches of this gateway have, and what this process is; one call at a time. */
class Confirmations {
  readonly #connection: CoreConnection;
  readonly #feed: RemoteFeed;
  readonly #process: () => ProcessState;
  readonly #signal: AbortSignal;
  #confirmed: string | undefined;
  #call: AbortController | undefined;

  constructor(
    connection: CoreConnection,
    feed: RemoteFeed,
    process: () => ProcessState,
    signal: AbortSignal,
  ) {
    this.#connection = connection;
    this.#feed = feed;
    this.#process = process;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#call?.abort(signal.reason));
  }

  /** A call that fails is repeated with the next message of the link. */
  send(): void {
    const { gateway, position } = this.#feed;
    if (this.#call !== undefined || position === undefined) return;
    const { sequence } = position;
    const text = JSON.stringify({ gateway, sequence, process: this.#process() });
    if (text === this.#confirmed) return;
    const call = new AbortController();
    this.#call = call;
    const body = Buffer.from(text);
    this.#connection
      .call({
        path: '/calls/feed-confirmed',
        head: bodyHash(body),
        body,
        signal: call.signal,
        timeout: CALL_MS,
      })
      .then(async (reply) => {
        await reply.body.whole();
        if (reply.outcome === 'answer') this.#confirmed = text;
        await pause(CONFIRM_MS, undefined, { signal: this.#signal });
        return true;
      })
      .catch(() => false)
      .then((isSent) => {
        this.#call = undefined;
        if (isSent) this.send();
      });
  }
}
