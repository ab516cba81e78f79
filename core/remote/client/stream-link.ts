import { setTimeout as pause } from 'node:timers/promises';
import type { CommitStreamReader } from '../../changes/commit-stream.ts';
import { LastingFailure } from '../../lasting-failure.ts';
import type { CoreLog } from '../../log.ts';
import type { RemoteFeed } from './remote-feed.ts';

/** Until the next read where the stream lacks a commit, which a link delivers in a moment. */
const LINK_MS = 50;
/** Pauses after failures. */
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** Follows the stream of commits beside the links to cores, and confirms what it brings. */
export class StreamLink {
  readonly #stream: CommitStreamReader;
  readonly #feed: RemoteFeed;
  readonly #log: CoreLog;
  readonly #closing = new AbortController();
  #failure: string | undefined = 'it has not answered yet';
  #commits = 0;

  constructor(stream: CommitStreamReader, feed: RemoteFeed, log: CoreLog) {
    this.#stream = stream;
    this.#feed = feed;
    this.#log = log;
    void this.#run();
  }

  /** Why the stream is not followed; undefined where it is. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Commits that it brought before any link. */
  get commits(): number {
    return this.#commits;
  }

  /** A read that waits for commits ends with the connection of the stream. */
  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let wait = SHORTEST_PAUSE_MS;
    const outage = new LastingFailure();
    while (!signal.aborted) {
      let milliseconds = 0;
      try {
        milliseconds = await this.#read();
        if (outage.end()) this.#log.info({}, 'The stream of commits is read again.');
        wait = SHORTEST_PAUSE_MS;
        this.#failure = undefined;
      } catch (error) {
        const { message } = error as Error;
        this.#failure = message;
        if (!signal.aborted && outage.begin())
          this.#log.warn({ reason: message }, 'The stream of commits cannot be read; links deliver them.');
        milliseconds = wait * (0.75 + Math.random() / 2);
        wait = Math.min(2 * wait, LONGEST_PAUSE_MS);
      }
      if (milliseconds > 0) await pause(milliseconds, undefined, { signal }).catch(() => {});
    }
  }

  /** @returns the time until the next read, in milliseconds */
  async #read(): Promise<number> {
    const { position: after, clocks, gateway } = this.#feed;
    if (after === undefined) return LINK_MS;
    const commits = await this.#stream.read(after);
    if (this.#closing.signal.aborted) return 0;
    let isComplete = true;
    for (const commit of commits) {
      const { sequence, epoch } = this.#feed.position ?? after;
      if (epoch !== after.epoch) break;
      if (commit.sequence <= sequence) continue;
      const clock = clocks.get(commit.core);
      isComplete = clock !== undefined && commit.sequence === sequence + 1;
      if (!isComplete) break;
      this.#feed.commit(commit, Math.max(0, performance.now() - clock!.toLocal(commit.time)));
      this.#commits += 1;
    }
    const { position } = this.#feed;
    if (position && position.sequence > after.sequence) this.#stream.confirm(gateway, position);
    return isComplete ? 0 : LINK_MS;
  }
}
