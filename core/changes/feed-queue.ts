import type { QueuedMessage } from './feed-message.ts';

/** Commits and tags that a link holds for a gateway that reads slowly; some 100 bytes each. */
const CAPACITY = 100_000;

/** What one link has still to send. */
export class FeedQueue {
  readonly #onEnd: () => void;
  #messages: QueuedMessage[] = [];
  #size = 0;
  #isEnded = false;
  #wake = () => {};

  /** @param onEnd closes the connection */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Time until which all commits were taken; undefined where none waits. */
  get completeUntil(): number | undefined {
    return this.#messages[0]?.time;
  }

  add(message: QueuedMessage): void {
    if (this.#isEnded) return;
    const changes = message.kind === 'commit' ? message.changes : [];
    this.#size += changes.reduce((sum, { tags }) => sum + tags.length, 1);
    this.#messages.push(message);
    if (this.#size > CAPACITY && this.#messages.length > 1) this.end();
    else this.#wake();
  }

  /** @throws Error once the queue has ended */
  take(): readonly QueuedMessage[] {
    if (this.#isEnded) throw new Error('A gateway takes or confirms changes too slowly.');
    const messages = this.#messages;
    this.#messages = [];
    this.#size = 0;
    return messages;
  }

  /** Until there is a message, or the time is over. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#isEnded || this.#messages.length > 0) return;
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
    this.#messages = [];
    this.#wake();
    this.#onEnd();
  }
}
