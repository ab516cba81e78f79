import { ServiceError } from '../errors.ts';
import { loadModel } from '../model/load-model.ts';
import type { ProjectModel } from '../model/model.ts';
import type { Reader } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import type { ContentAccess } from './content-access.ts';

/** What reading a project needs: a `ProjectTransaction`, or a snapshot that no writer waits for. */
export interface ProjectView {
  readonly tx: Sql;
  readonly model: ProjectModel;
  readonly project: ProjectModel['project'];
  /** What the person who asks may do; undefined = everything. */
  readonly access?: ContentAccess | undefined;
}

/**
 * Runs `work` over one snapshot of the project, its model included.
 * @throws unknownProject
 */
export async function readProject<T>(
  models: { current(project: string): Promise<ProjectModel> },
  reader: Reader,
  project: string,
  work: (view: ProjectView) => Promise<T>,
): Promise<T> {
  // Before the snapshot: snapshots that wait for a second connection could block each other.
  const recent = await models.current(project);
  return reader.snapshot(async (sql) => {
    const row = await sql.get<{ sequence: number }>(
      'SELECT model_sequence AS sequence FROM project WHERE id = ? AND archived IS NULL',
      [project],
    );
    if (!row) throw new ServiceError('unknownProject', `There is no project with the id '${project}'.`);
    const model = row.sequence === recent.sequence ? recent : await loadModel(sql, project);
    return work({ tx: sql, model, project: model.project });
  });
}
