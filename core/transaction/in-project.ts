import { ServiceError } from '../errors.ts';
import { loadModel } from '../model/load-model.ts';
import type { ProjectModel } from '../model/model.ts';
import type { BatchedWrite, Storage, Transaction } from '../storage/ports.ts';
import { type Batch, batchOf } from './batchable-work.ts';
import type { ContentAccess } from './content-access.ts';
import { type CommitParticipant, type OperationOptions, ProjectTransaction } from './project-transaction.ts';

export interface Environment {
  readonly options: OperationOptions;
  readonly participants: readonly CommitParticipant[];
  /** Cached models, which save most transactions 0.9 ms (with twenty types). */
  readonly models?: {
    recent(project: string): Promise<ProjectModel>;
    forget(stale: ProjectModel): void;
  };
  /** Is called when a commit made documents or lists stale. */
  readonly stale?: () => void;
}

export interface InProjectOptions {
  /** Also for an archived project: a project is archived until its import is complete. */
  readonly archived?: boolean;
  /** What the person who acts may do; by default everything. */
  readonly access?: ContentAccess | undefined;
  /** A person who is signed in at the console acts, no key and not the installation. */
  readonly isPerson?: boolean;
  /** See `Storage.write`. */
  readonly check?: () => void;
}

/** Runs operations on a project in one durable transaction. */
export async function inProject<T>(
  storage: Storage,
  environment: Environment,
  project: string,
  actor: string | null,
  work: (transaction: ProjectTransaction) => Promise<T>,
  { archived = false, access, isPerson = false, check }: InProjectOptions = {},
): Promise<T> {
  const { models } = environment;
  // Before the transaction, so that the writer waits for no reader.
  const recent = await models?.recent(project);
  const run = async <Value>(tx: Transaction, work: (transaction: ProjectTransaction) => Promise<Value>) => {
    const row = await tx.get<{ sequence: number; webhooks: number }>(
      `SELECT p.model_sequence AS sequence,
         CASE WHEN EXISTS (SELECT 1 FROM webhook_lane l WHERE l.project = p.number) THEN 1 ELSE 0 END AS webhooks
       FROM project p WHERE p.id = ? AND (p.archived IS NULL OR ? = 1)`,
      [project, archived ? 1 : 0],
    );
    if (!row) throw new ServiceError('unknownProject', `There is no project with the id '${project}'.`);
    const isCurrent = recent?.sequence === row.sequence;
    if (recent && !isCurrent) models?.forget(recent);
    const model = isCurrent ? recent : await loadModel(tx, project);
    const transaction = new ProjectTransaction(tx, model, actor, environment.options, {
      hasWebhooks: row.webhooks === 1,
      access,
      isPerson,
    });
    const value = await work(transaction);
    await transaction.finish(environment.participants);
    // A new language has items to list.
    return { value, isStale: transaction.staleMarks.size > 0 || transaction.isModelChanged };
  };
  // What a person may do is checked for one.
  const batch = access === undefined && !isPerson ? batchOf(work) : undefined;
  const { value, isStale } = await storage.write(
    (tx) => run(tx, work),
    project,
    check,
    batch && batchedWrite(batch, actor, run),
  );
  if (isStale) environment.stale?.();
  return value;
}

interface Written<Value> {
  readonly value: Value;
  readonly isStale: boolean;
}

function batchedWrite<Value>(
  batch: Batch<Value>,
  actor: string | null,
  run: <T>(tx: Transaction, work: (transaction: ProjectTransaction) => Promise<T>) => Promise<Written<T>>,
): BatchedWrite<Written<Value>> {
  return {
    key: `${actor} ${batch.key}`,
    object: batch.object,
    input: batch,
    async work(tx, inputs) {
      const batches = inputs as readonly Batch<Value>[];
      for (const { begins } of batches) begins?.(tx);
      const { value, isStale } = await run(tx, (transaction) =>
        batch.work(
          transaction,
          batches.map(({ input }) => input),
        ),
      );
      return value.map((one) => ({ value: one, isStale }));
    },
  };
}
