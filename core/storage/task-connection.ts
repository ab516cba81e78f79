import type { PooledConnection } from './connection-pool.ts';
import { cancelled, pastDeadline, type ReadScope, type WorkEnded } from './read-scope.ts';

/** A connection for one task at a time, whose statements are interrupted when the task has to end. */
export abstract class TaskConnection implements PooledConnection {
  /** Of the task that uses the connection. */
  #scope: ReadScope | null = null;
  /** Why the task has to end. */
  #reason: WorkEnded | null = null;
  /** Statements under way, and when `check` first saw them; 0 = not yet. */
  #running = 0;
  #since = 0;

  acquire(scope: ReadScope): void {
    this.#scope = scope;
    this.#reason = null;
  }

  /** No statement runs by then: COMMIT waits for those before it. */
  release(): WorkEnded | null {
    const reason = this.#reason;
    this.#scope = null;
    this.#reason = null;
    return reason;
  }

  cancel(reason: WorkEnded): void {
    if (this.#scope === null) return;
    this.#reason ??= reason;
    if (this.#running > 0) this.interrupt();
  }

  /** Must be called repeatedly: an interrupt before the statement has started has no effect. */
  check(now: number): void {
    const scope = this.#scope;
    if (scope === null) return;
    if (this.#reason === null) {
      const { signal, statementMilliseconds: limit } = scope;
      if (this.#running > 0 && this.#since === 0) this.#since = now;
      if (signal?.aborted) this.#reason = cancelled();
      else if (limit != null && this.#running > 0 && now - this.#since >= limit)
        this.#reason = pastDeadline(limit);
      else return;
    }
    if (this.#running > 0) this.interrupt();
  }

  abstract close(): Promise<void>;

  /** Interrupts the running statement. */
  protected abstract interrupt(): void;

  /**
   * Counts a statement that `interrupt` may end. BEGIN and COMMIT do not count: a snapshot whose end was interrupted
   * would stay open.
   * @throws why the task has to end
   */
  protected begin(): void {
    if (this.#reason !== null) throw this.#reason;
    if (this.#running++ === 0) this.#since = 0;
  }

  protected end(): void {
    this.#running--;
  }

  /** A statement is under way that `interrupt` may end. */
  protected get isRunning(): boolean {
    return this.#running > 0;
  }

  /** Why the task has to end. */
  protected get reason(): WorkEnded | null {
    return this.#reason;
  }
}
