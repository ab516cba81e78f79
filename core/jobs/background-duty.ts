import type { Duty } from '../storage/owner.ts';
import { WorkEnded } from '../storage/read-scope.ts';
import { WakeLoop } from './wake-loop.ts';

interface BackgroundDutyOptions {
  /** Is called with what went wrong, except where closing ended it. The next run is `afterFailure` ms later. */
  readonly failed: (error: unknown) => void;
  readonly afterFailure: number;
  readonly duty?: Duty;
}

/** Work of the service that no request waits for; see `WakeLoop`. */
export abstract class BackgroundDuty {
  protected readonly closing = new AbortController();
  protected readonly failed: (error: unknown) => void;
  readonly #loop: WakeLoop;

  constructor({ failed, ...options }: BackgroundDutyOptions) {
    this.failed = (error) => {
      if (!(this.closing.signal.aborted && error instanceof WorkEnded)) failed(error);
    };
    this.#loop = new WakeLoop({
      ...options,
      work: () => this.work(),
      next: () => this.next(),
      failed: this.failed,
    });
  }

  /** Does what is due; ends once `isStopped`. */
  protected abstract work(): Promise<void>;

  /** Milliseconds until the next run; undefined when nothing is due. */
  protected abstract next(): Promise<number | undefined>;

  protected get isStopped(): boolean {
    return this.#loop.isStopped;
  }

  start(): void {
    this.#loop.start();
  }

  /** Call when there may be something to do. Returns at once. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves when no run is under way: what is due is done. */
  idle(): Promise<void> {
    return this.#loop.idle();
  }

  close(): Promise<void> {
    this.closing.abort();
    return this.#loop.close();
  }
}
