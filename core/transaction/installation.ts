import { ServiceError } from '../errors.ts';
import type { ChangeEntry, Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import type { OperationOptions } from './project-transaction.ts';

/** The first parameter of operations on projects, users and keys. */
export interface Installation {
  readonly tx: Transaction;
  /** Who acts, for the change log; null = the installation itself. */
  readonly actor: string | null;
  readonly options: OperationOptions;
}

/** Enters a change of no project in the change log. */
export function recordInstallationChange(
  { tx, actor }: Pick<Installation, 'tx' | 'actor'>,
  entry: Pick<ChangeEntry, 'type' | 'operation' | 'object' | 'tags'>,
): void {
  tx.change({ project: null, projectId: null, actor, ...entry });
}

export interface ProjectRow {
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly secure_access: number;
  readonly management_api: number;
  readonly created: string;
  readonly archived: string | null;
}

/**
 * @param id in any case
 * @throws unknownProject also for an archived one, unless `archived` allows it
 */
export async function projectRow(sql: Sql, id: string, archived = false): Promise<ProjectRow> {
  const row = await sql.get<ProjectRow>(
    'SELECT number, id, name, secure_access, management_api, created, archived FROM project WHERE id = ?',
    [id.toLowerCase()],
  );
  if (!row || (row.archived !== null && !archived)) {
    throw new ServiceError('unknownProject', `There is no project with the id '${id}'.`);
  }
  return row;
}
