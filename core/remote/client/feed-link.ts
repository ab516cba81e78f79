import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import type { FeedMessage } from '../../changes/feed-message.ts';
import type { FollowRequest } from '../../changes/gateway-feed.ts';
import type { ReportMessage, ReportSource } from '../../changes/gateway-reports.ts';
import { LastingFailure } from '../../lasting-failure.ts';
import type { CoreLog } from '../../log.ts';
import type { ProcessState } from '../../process-identity.ts';
import { bodyHash } from '../protocol/signature.ts';
import { toHeader } from '../protocol/wire.ts';
import { Confirmations } from './confirmations.ts';
import { CoreClock } from './core-clock.ts';
import type { CoreConnection } from './core-connection.ts';
import { LinkWatch } from './link-watch.ts';
import type { RemoteFeed } from './remote-feed.ts';

/** Pauses before a link is opened again. */
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
const REPORT_MS = 2000;

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
  readonly #hasStream: boolean;
  readonly #report: ReportSource;
  readonly #log: CoreLog;
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;
  #isFollowing = false;
  #failure = 'it has not answered yet';
  #completeUntil = Number.NEGATIVE_INFINITY;
  #core: ProcessState | undefined;
  /** Names its clock. */
  #clock: string | undefined;

  /**
   * @param process what the core lists of this process
   * @param hasStream whether commits come from a stream, too
   * @param report what this gateway answers to operators
   */
  constructor(
    connection: CoreConnection,
    feed: RemoteFeed,
    process: () => ProcessState,
    log: CoreLog,
    hasStream = false,
    report: ReportSource = async () => null,
  ) {
    this.#connection = connection;
    this.#feed = feed;
    this.#process = process;
    this.#log = log;
    this.#hasStream = hasStream;
    this.#report = report;
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
    const failure = new LastingFailure();
    await this.#connection.greeted;
    while (!signal.aborted) {
      const link = new AbortController();
      const onClose = () => link.abort(signal.reason);
      signal.addEventListener('abort', onClose);
      const error = await this.#follow(link, () => {
        if (failure.end()) this.#log.info({ core: name }, 'The changes of core are followed again.');
        wait = SHORTEST_PAUSE_MS;
      }).catch((cause: Error) => cause);
      this.#isFollowing = false;
      this.#failure = error.message;
      link.abort(error);
      signal.removeEventListener('abort', onClose);
      if (signal.aborted) return;
      if (failure.begin())
        this.#log.warn(
          { core: name, reason: error.message },
          'The changes of core are not followed; trying again.',
        );
      await pause(wait * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {});
      wait = Math.min(2 * wait, LONGEST_PAUSE_MS);
    }
  }

  /** @returns why the link has ended */
  async #follow(link: AbortController, started: () => void): Promise<Error> {
    const { signal } = link;
    const { position: after, gateway } = this.#feed;
    const head = toHeader({
      gateway,
      after,
      hasStream: this.#hasStream,
      canReport: true,
    } satisfies FollowRequest);
    const watch = new LinkWatch(link);
    try {
      const call = { path: '/feed', head, body: null, signal, timeout: 0, isLink: true };
      const reply = await this.#connection.call(call);
      const clock = new CoreClock();
      const confirmations = new Confirmations(this.#connection, this.#feed, this.#process, signal);
      let epoch = '';
      let isLive = false;
      for await (const line of linesOf(reply.body)) {
        const message = JSON.parse(line) as FeedMessage;
        if (message.kind === 'report') {
          this.#sendReport(message);
          continue;
        }
        if (message.kind === 'heartbeat') {
          isLive = true;
          const { time, sent = time } = message;
          clock.observe(sent);
          this.#completeUntil = clock.toLocal(time);
          this.#feed.complete(this.#completeUntil, epoch);
          watch.reached(clock.toLocal(sent));
        } else {
          ({ epoch } = message);
          if (message.kind === 'start') {
            clock.observe(message.time);
            this.#feed.start(message, after);
            this.#core = message.process;
            this.#keepClock(message.core, clock);
            this.#isFollowing = true;
            started();
          } else this.#feed.commit(message, Math.max(0, performance.now() - clock.toLocal(message.time)));
          // Before the first heartbeat come commits of the change log.
          if (!isLive) watch.reached(performance.now());
        }
        confirmations.send();
      }
      return new Error('Core has ended the link.');
    } finally {
      watch.end();
    }
  }

  /** An operator who waits asks again: a failure is left. The signal of a link that lasts for days would keep each call. */
  #sendReport({ request, what, after }: ReportMessage): void {
    this.#report({ what, after })
      .then(async (report) => {
        const body = Buffer.from(JSON.stringify({ gateway: this.#feed.gateway, request, report }));
        const call = {
          path: '/calls/gateway-report',
          head: bodyHash(body),
          body,
          timeout: REPORT_MS,
        };
        await (await this.#connection.call(call)).body.whole();
      })
      .catch(() => {});
  }

  /** Also after the end of the link: the stream may have more commits of the core. */
  #keepClock(name: string | undefined, clock: CoreClock): void {
    const { clocks } = this.#feed;
    if (this.#clock !== undefined && this.#clock !== name) clocks.delete(this.#clock);
    this.#clock = name;
    if (name !== undefined) clocks.set(name, clock);
  }
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    const [end = '', ...more] = decoder.write(bytes).split('\n');
    parts.push(end);
    for (const next of more) {
      yield parts.join('');
      parts = [next];
    }
  }
}
