import type { RunOptions, TaskName, Tasks, WorkerError, Workers } from '../../../workers/contract.ts';
import { DEFAULT_LIMITS } from '../../../workers/images/limits.ts';
import { transformImage } from '../../../workers/images/transform-image.ts';

/** The worker tier without processes: transforms images in this process, counts them, and fails on request. */
export class CountingWorkers implements Workers {
  /** Started tasks. */
  made = 0;
  /** Failure of the next tasks. */
  failure: WorkerError | undefined;
  /** Refusal of the next tasks before they start. */
  full: WorkerError | undefined;
  /** Tasks wait for this promise. */
  gate: Promise<void> = Promise.resolve();
  /** Signals end tasks before the gate, as they end waiting ones; else tasks count as running. */
  mayCancel = true;

  async run<Name extends TaskName>(
    task: Name,
    input: Tasks[Name]['input'],
    { signal }: RunOptions = {},
  ): Promise<Tasks[Name]['output']> {
    if (task !== 'image-transform') throw new Error(`These workers know no ${task}.`);
    this.made += 1;
    const cancelled = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => this.mayCancel && reject(signal.reason));
    });
    await Promise.race([this.gate, cancelled]);
    if (this.failure) throw this.failure;
    const transform = input as Tasks['image-transform']['input'];
    return (await transformImage(transform, DEFAULT_LIMITS, 20)) as Tasks[Name]['output'];
  }

  refusal(): WorkerError | undefined {
    return this.full;
  }

  async health() {
    return { ok: true, detail: 'here' };
  }

  report() {
    return {};
  }

  async close() {}
}
