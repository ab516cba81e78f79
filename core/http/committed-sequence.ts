import type { Transaction } from '../storage/ports.ts';
import type { Operations } from '../transaction/operations.ts';

/** Operations of one request, and the sequence that the last of them committed under. */
export interface Committing<T extends Operations> {
  readonly operations: T;
  /** Undefined: nothing was changed. */
  committed(): number | undefined;
}

export function committing<T extends Operations>(operations: T): Committing<T> {
  let sequence: number | undefined;
  const during = async <R>(run: (note: (tx: Transaction) => void) => Promise<R>): Promise<R> => {
    let last: Transaction | undefined;
    const result = await run((tx) => {
      last = tx;
    });
    if (last?.logged) sequence = Math.max(sequence ?? 0, last.sequence);
    return result;
  };
  return {
    operations: {
      ...operations,
      inProject: (project, actor, work, options) =>
        during((note) =>
          operations.inProject(
            project,
            actor,
            (transaction) => {
              note(transaction.tx);
              return work(transaction);
            },
            options,
          ),
        ),
      installation: (actor, work) =>
        during((note) =>
          operations.installation(actor, (installation) => {
            note(installation.tx);
            return work(installation);
          }),
        ),
    },
    committed: () => sequence,
  };
}
