import type { ProjectModel } from '../model/model.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';

/** What a change would do. */
export interface DryRun<Result = unknown> {
  readonly result: Result;
  readonly before: ProjectModel;
  readonly after: ProjectModel;
  /** `kind:number` of what would make documents stale. */
  readonly staleMarks: ProjectTransaction['staleMarks'];
}

/** Ends a transaction that must not be committed. */
class Undone<Result> extends Error {
  readonly run: DryRun<Result>;

  constructor(run: DryRun<Result>) {
    super('A dry run is undone.');
    this.run = run;
  }
}

/**
 * Makes the change in a transaction and undoes it, so that the same rules hold as for the change itself.
 * @param work whatever it throws is thrown
 */
export async function dryRun<Result>(
  operations: Pick<Operations, 'inProject'>,
  project: string,
  work: (transaction: ProjectTransaction) => Promise<Result>,
): Promise<DryRun<Result>> {
  try {
    return await operations.inProject<never>(project, null, async (transaction) => {
      const result = await work(transaction);
      const { modelBefore: before, model: after, staleMarks } = transaction;
      throw new Undone({ result, before, after, staleMarks });
    });
  } catch (error) {
    if (error instanceof Undone) return error.run;
    throw error;
  }
}
