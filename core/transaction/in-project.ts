import { ServiceError } from '../errors.ts';
import { loadModel } from '../model/load-model.ts';
import type { ProjectModel } from '../model/model.ts';
import type { Storage } from '../storage/ports.ts';
import { type CommitParticipant, type OperationOptions, ProjectTransaction } from './project-transaction.ts';

export interface Environment {
  readonly options: OperationOptions;
  readonly participants: readonly CommitParticipant[];
  /** Committed models, so that most transactions need not read theirs: 0.9 ms of each with twenty types. */
  readonly models?: {
    recent(project: string): Promise<ProjectModel>;
    forget(project: string): void;
  };
  /** Told when a commit left compiled documents out of date. */
  readonly stale?: () => void;
}

export interface InProjectOptions {
  /** The project may be archived: one that is being imported is, until all of it is there. */
  readonly archived?: boolean;
}

/** Runs operations on a project in one durable transaction. */
export async function inProject<T>(
  storage: Storage,
  environment: Environment,
  project: string,
  actor: string | null,
  work: (transaction: ProjectTransaction) => Promise<T>,
  { archived = false }: InProjectOptions = {},
): Promise<T> {
  const { models } = environment;
  // Before the transaction, so that the writer waits for no reader.
  const recent = await models?.recent(project);
  let marked = false;
  const result = await storage.write(async (tx) => {
    const row = await tx.get<{ sequence: number; webhooks: number }>(
      `SELECT p.model_sequence AS sequence,
         CASE WHEN EXISTS (SELECT 1 FROM webhook_lane l WHERE l.project = p.number) THEN 1 ELSE 0 END AS webhooks
       FROM project p WHERE p.id = ? AND (p.archived IS NULL OR ? = 1)`,
      [project, archived ? 1 : 0],
    );
    if (!row) throw new ServiceError('unknownProject', `There is no project with the id '${project}'.`);
    const isCurrent = recent?.sequence === row.sequence;
    if (!isCurrent) models?.forget(project);
    const model = isCurrent ? recent : await loadModel(tx, project);
    const transaction = new ProjectTransaction(tx, model, actor, environment.options, {
      hasWebhooks: row.webhooks === 1,
    });
    const worked = await work(transaction);
    await transaction.finish(environment.participants);
    marked = transaction.staleMarks.size > 0;
    return worked;
  }, project);
  if (marked) environment.stale?.();
  return result;
}
