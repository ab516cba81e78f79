import type { FeedPosition } from './change-feed.ts';
import type { FeedCommit } from './change-log.ts';

/** A commit in a stream. */
export interface StreamedCommit extends FeedCommit {
  /** Names the core whose clock `time` is of. */
  readonly core: string;
}

/**
 * A stream in which cores write commits for many gateways at once. It only makes the feed cheaper: links deliver what a
 * gateway does not confirm soon, and heartbeats, which say until when a gateway has everything, come over links alone. So it
 * may lose anything at any time.
 */
export interface CommitStream {
  /** Why it takes no commits at present; undefined where it does. */
  readonly failure: string | undefined;
  /** @returns whether gateways will probably have the commit from there */
  append(commit: StreamedCommit): boolean;
  /** The commits after a position are not those that the stream has. */
  clear(position: FeedPosition): void;
  /** @param listener is called when a gateway confirms that it has all commits until a position */
  onConfirmed(listener: (gateway: string, position: FeedPosition) => void): void;
}

/** The other end of it. */
export interface CommitStreamReader {
  /**
   * The next commits after a position, but for those that were lost; waits for a moment where there are none.
   *
   * @throws Error where the stream cannot be read
   */
  read(after: FeedPosition): Promise<readonly StreamedCommit[]>;
  confirm(gateway: string, position: FeedPosition): void;
}
