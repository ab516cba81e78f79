import type { Transaction } from '../storage/ports.ts';
import type { ProjectTransaction } from './project-transaction.ts';

/**
 * Work of one writer that can also be done for several that wait, in one transaction. A caller that puts work of its own
 * around it has plain work again, which is done alone.
 */
export interface BatchableWork<Value> {
  (transaction: ProjectTransaction): Promise<Value>;
  readonly batch: Batch<Value>;
}

export interface Batch<Value> {
  /** The same for the same work of the same actor on the same project. */
  readonly key: string;
  /** See `BatchedWrite`. */
  readonly object: string;
  readonly input: unknown;
  readonly work: (transaction: ProjectTransaction, inputs: readonly unknown[]) => Promise<readonly Value[]>;
  /** Is called for each writer when the transaction begins. */
  readonly begins?: (tx: Transaction) => void;
}

/** @param work for one or more inputs; @returns the values in their order */
export function batchable<Input, Value>(
  key: string,
  object: string,
  input: Input,
  work: (transaction: ProjectTransaction, inputs: readonly Input[]) => Promise<readonly Value[]>,
): BatchableWork<Value> {
  const alone = async (transaction: ProjectTransaction) => {
    const values = await work(transaction, [input]);
    return values[0] as Value;
  };
  return Object.assign(alone, { batch: { key, object, input, work: work as Batch<Value>['work'] } });
}

export function batchOf<Value>(
  work: (transaction: ProjectTransaction) => Promise<Value>,
): Batch<Value> | undefined {
  return (work as Partial<BatchableWork<Value>>).batch;
}

/** The same work for one writer, with something to call when its transaction begins. */
export function beginning<Value>(
  work: (transaction: ProjectTransaction) => Promise<Value>,
  begins: (tx: Transaction) => void,
): (transaction: ProjectTransaction) => Promise<Value> {
  const alone = (transaction: ProjectTransaction) => {
    begins(transaction.tx);
    return work(transaction);
  };
  const batch = batchOf(work);
  return batch === undefined ? alone : Object.assign(alone, { batch: { ...batch, begins } });
}
