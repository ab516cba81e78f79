import type { WorkerFailure } from '../contract.ts';
import type { QueuedTask } from './queued-task.ts';

/** Weight of the latest task in `meanSeconds`. */
const WEIGHT = 0.1;

/** Totals of a queue since the start. */
export class QueueCounters {
  #done = 0;
  #seconds = 0;
  #crashes = 0;
  #starts = 0;
  readonly #failed: Record<WorkerFailure, number> = { busy: 0, late: 0, refused: 0, lost: 0 };
  /** Moving mean of the time per task, waiting included. */
  meanSeconds = 0;

  start(): void {
    this.#starts++;
  }

  crash(): void {
    this.#crashes++;
  }

  fail(failure: WorkerFailure): void {
    this.#failed[failure]++;
  }

  end(task: QueuedTask, isDone: boolean): void {
    const seconds = (performance.now() - task.began) / 1000;
    if (isDone) {
      this.#done++;
      this.#seconds += seconds;
    }
    this.meanSeconds += (seconds - this.meanSeconds) * WEIGHT;
  }

  report() {
    return {
      done: this.#done,
      seconds: this.#seconds,
      crashes: this.#crashes,
      starts: this.#starts,
      failed: { ...this.#failed },
    };
  }
}
