import type { ProjectModel } from '../model/model.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';

/** What a change of the model would do. */
export interface DryRun {
  readonly before: ProjectModel;
  readonly after: ProjectModel;
  /** `kind:number` of what would make documents stale. */
  readonly staleMarks: ReadonlySet<string>;
}

/** Ends a transaction that must not be committed. */
class Undone extends Error {
  readonly result: DryRun;

  constructor(result: DryRun) {
    super('A dry run is undone.');
    this.result = result;
  }
}

/**
 * Makes the change in a transaction and undoes it, so that the same rules hold as for the change itself.
 * @param work whatever it throws is thrown
 */
export async function dryRun(
  operations: Pick<Operations, 'inProject'>,
  project: string,
  work: (transaction: ProjectTransaction) => Promise<unknown>,
): Promise<DryRun> {
  try {
    return await operations.inProject<never>(project, null, async (transaction) => {
      await work(transaction);
      const { modelBefore: before, model: after, staleMarks } = transaction;
      throw new Undone({ before, after, staleMarks });
    });
  } catch (error) {
    if (error instanceof Undone) return error.result;
    throw error;
  }
}
