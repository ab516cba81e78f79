import type { FeedCommit } from './change-log.ts';

/** Commits and tags that a link holds for a gateway that reads slowly; some 100 bytes each. */
const CAPACITY = 100_000;

/** Commits that one link has still to send. */
export class FeedQueue {
  readonly #onEnd: () => void;
  #commits: FeedCommit[] = [];
  #size = 0;
  #isEnded = false;
  #wake = () => {};

  /** @param onEnd closes the connection */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Time until which all commits were taken. */
  get completeUntil(): number {
    return this.#commits[0]?.time ?? performance.now();
  }

  add(commit: FeedCommit): void {
    if (this.#isEnded) return;
    this.#size += commit.changes.reduce((sum, { tags }) => sum + tags.length, 1);
    this.#commits.push(commit);
    if (this.#size > CAPACITY && this.#commits.length > 1) this.end();
    else this.#wake();
  }

  /** @throws Error once the queue has ended */
  take(): readonly FeedCommit[] {
    if (this.#isEnded) throw new Error('A gateway takes or confirms changes too slowly.');
    const commits = this.#commits;
    this.#commits = [];
    this.#size = 0;
    return commits;
  }

  /** Until there is a commit, or the time is over. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#isEnded || this.#commits.length > 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** The gateway has to connect again, and gets what it missed from the change log. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#commits = [];
    this.#wake();
    this.#onEnd();
  }
}
