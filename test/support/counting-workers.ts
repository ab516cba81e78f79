import type { TaskName, Tasks, WorkerError, Workers } from '../../workers/contract.ts';
import { DEFAULT_LIMITS } from '../../workers/images/limits.ts';
import { transformImage } from '../../workers/images/transform-image.ts';

/** The worker tier without processes: makes pictures right here, counts them, and fails when told to. */
export class CountingWorkers implements Workers {
  /** Pictures that were begun. */
  made = 0;
  /** What the next tasks fail with. */
  failure: WorkerError | undefined;
  /** What the next tasks are refused with before they begin. */
  full: WorkerError | undefined;
  /** Tasks begin when this is over. */
  gate: Promise<void> = Promise.resolve();

  async run<Name extends TaskName>(task: Name, input: Tasks[Name]['input']): Promise<Tasks[Name]['output']> {
    if (task !== 'image-transform') throw new Error(`These workers know no ${task}.`);
    this.made += 1;
    await this.gate;
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
