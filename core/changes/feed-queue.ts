import type { QueuedMessage } from './feed-message.ts';
import type { ReportMessage } from './gateway-reports.ts';

/** Commits and tags that a link holds for a gateway that reads slowly; some 100 bytes each. */
const CAPACITY = 100_000;

/** A commit that a stream carries waits for so long, up to twice, until the gateway confirms that it has it. */
const CARRIED_MS = 100;

/** What one link has still to send. */
export class FeedQueue {
  readonly #onEnd: () => void;
  readonly #hasStream: boolean;
  #messages: QueuedMessage[] = [];
  #size = 0;
  #reports: ReportMessage[] = [];
  /** Messages at the beginning that wait for no confirmation. */
  #due = 0;
  #isEnded = false;
  #wake = () => {};

  /**
   * @param onEnd closes the connection
   * @param hasStream whether the gateway reads commits from a stream, too
   */
  constructor(onEnd: () => void, hasStream = false) {
    this.#onEnd = onEnd;
    this.#hasStream = hasStream;
  }

  /** Time until which all commits were taken or confirmed; undefined where none waits. */
  get completeUntil(): number | undefined {
    return this.#messages[0]?.time;
  }

  /** @param isCarried whether it is in the stream of commits, too */
  add(message: QueuedMessage, isCarried: boolean): void {
    if (this.#isEnded) return;
    this.#size += sizeOf(message);
    this.#messages.push(message);
    if (this.#size > CAPACITY && this.#messages.length > 1) this.end();
    else if (!isCarried || !this.#hasStream) {
      this.#due = this.#messages.length;
      this.#wake();
    }
  }

  /** Asks for a report, in front of commits that wait. */
  ask(message: ReportMessage): void {
    if (this.#isEnded) return;
    this.#reports.push(message);
    this.#wake();
  }

  takeReports(): readonly ReportMessage[] {
    if (this.#reports.length === 0) return this.#reports;
    const taken = this.#reports;
    this.#reports = [];
    return taken;
  }

  /** The gateway has the commits until there, over another link or from the stream. */
  confirmed(sequence: number): void {
    const first = this.#messages.findIndex((one) => one.kind === 'start' || one.sequence > sequence);
    this.#remove(first === -1 ? this.#messages.length : first);
  }

  /** @throws Error once the queue has ended */
  take(): readonly QueuedMessage[] {
    if (this.#isEnded) throw new Error('A gateway takes or confirms changes too slowly.');
    const carriedBefore = performance.now() - CARRIED_MS;
    let { length } = this.#messages;
    while (length > this.#due && this.#messages[length - 1]!.time > carriedBefore) length -= 1;
    return this.#remove(length);
  }

  /** Until there may be a message to take, or the time is over. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#isEnded || this.#due > 0 || this.#reports.length > 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#hasStream ? Math.min(milliseconds, CARRIED_MS) : milliseconds);
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

  #remove(count: number): readonly QueuedMessage[] {
    const removed = this.#messages;
    this.#messages = count === removed.length ? [] : removed.splice(count);
    this.#due = Math.max(0, this.#due - count);
    if (this.#messages.length === 0) this.#size = 0;
    else for (const message of removed) this.#size -= sizeOf(message);
    return removed;
  }
}

function sizeOf(message: QueuedMessage): number {
  const changes = message.kind === 'commit' ? message.changes : [];
  return changes.reduce((sum, { tags }) => sum + tags.length, 1);
}
