import { keysTag, PROJECTS, projectTag } from '../changes/tags.ts';
import { interruptedJobs, type OwnedJob, takeOverJob } from '../jobs/interrupted-jobs.ts';
import { IMPORT, IS_IMPORTED } from '../jobs/job-kinds.ts';
import { endJob } from '../jobs/jobs.ts';
import { loadModel } from '../model/load-model.ts';
import { CHANNELS, viewOf } from '../model/model.ts';
import { removeListedAssets } from '../read-model/write-listed-assets.ts';
import type { Storage, Transaction } from '../storage/ports.ts';
import { endImport, isImporting } from './running-imports.ts';

/** Rows removed per transaction, so that other writers do not wait long. */
const BATCH = 200;

/** Tables with few rows of a project; referring tables come first. */
const TABLES = [
  'file',
  'content_type',
  'snippet',
  'taxonomy',
  'language',
  'api_key',
  'membership',
  'usage_count',
  'pending',
  'webhook_event',
  'saved_view',
  'preview_url',
];

/**
 * Removes a partly imported project in batches, then records the reason in its job. The job keeps running until then,
 * so that the removal continues after a kill. Several processes may remove the same one.
 */
export async function removeImport(storage: Storage, job: string, reason: string): Promise<void> {
  // After a restore another project may have its number.
  const project = await storage.sql.get<{ number: number; id: string }>(
    `SELECT p.number AS number, p.id AS id FROM project p JOIN job j ON j.project = p.number
     WHERE j.id = ? AND ${IS_IMPORTED}`,
    [job],
  );
  if (project) {
    while (await storage.write((tx) => removeItems(tx, project))) {}
    while (await storage.write((tx) => removeAssets(tx, project))) {}
  }
  await storage.write(async (tx) => {
    if (project && (await tx.get('SELECT number FROM project WHERE id = ?', [project.id])))
      await removeRest(tx, project);
    const row = await tx.get<{ state: string }>('SELECT state FROM job WHERE id = ?', [job]);
    if (row?.state === 'running') await endJob(tx, job, 'failed', reason);
  });
}

/** Removes what an import wrote whose job was canceled, whichever process runs it. */
export async function cancelImport(storage: Storage, job: string, project: string): Promise<void> {
  if (isImporting(storage, project)) await endImport(storage, project);
  else await removeImport(storage, job, 'The import was canceled.');
}

interface ImportJob extends OwnedJob {
  /** Id; null = it is removed already. */
  readonly project: string | null;
}

/**
 * Removes what imports left whose process was killed or stalls, and what a restored copy has of imports.
 * @param only id of a project; by default all
 */
export async function removeInterruptedImports(storage: Storage, only?: string): Promise<void> {
  const { owner } = storage;
  const jobs = await storage.sql.all<ImportJob>(
    `SELECT j.id AS id, j.owner AS owner, p.id AS project FROM job j LEFT JOIN project p ON p.number = j.project
     WHERE j.kind = '${IMPORT}' AND j.state IN ('running', 'canceled') AND (j.state = 'running' OR ${IS_IMPORTED})
       ${only === undefined ? '' : 'AND p.id = ?'}`,
    only === undefined ? [] : [only],
  );
  const isOwn = (job: ImportJob) =>
    job.owner === owner.id && !(job.project && isImporting(storage, job.project));
  const own = jobs.filter(isOwn);
  for (const job of [...own, ...(await interruptedJobs(owner, jobs))])
    if (await storage.write((tx) => takeOverJob(tx, job, owner)))
      await removeImport(
        storage,
        job.id,
        'The service stopped meanwhile; nothing was kept. Import the archive again.',
      );
}

interface Removed {
  readonly number: number;
  readonly id: string;
}

async function removeItems(tx: Transaction, { number, id }: Removed): Promise<boolean> {
  const items = await tx.all<{ number: number }>(`SELECT number FROM item WHERE project = ? LIMIT ${BATCH}`, [
    number,
  ]);
  if (items.length === 0) return false;
  const numbers = items.map((item) => item.number);
  const { languages } = await loadModel(tx, id);
  const views = languages.flatMap((language) => CHANNELS.map((channel) => viewOf(language, channel)));
  for (const item of numbers) tx.list(item, { listed: [], searched: [] });
  await tx.replaceDocuments(numbers, views, { document: [], uses: [], entry: [], resolved: [], kept: [] });
  const own = tx.among('item', numbers);
  await tx.run(`DELETE FROM version WHERE variant IN (SELECT number FROM variant WHERE ${own.text})`, [
    own.parameter,
  ]);
  await tx.run(`DELETE FROM variant WHERE ${own.text}`, [own.parameter]);
  const all = tx.among('number', numbers);
  await tx.run(`DELETE FROM item WHERE ${all.text}`, [all.parameter]);
  return true;
}

async function removeAssets(tx: Transaction, { number }: Removed): Promise<boolean> {
  const assets = await tx.all<{ number: number }>(
    `SELECT number FROM asset WHERE project = ? LIMIT ${BATCH}`,
    [number],
  );
  if (assets.length === 0) return false;
  const numbers = assets.map((asset) => asset.number);
  const all = tx.among('number', numbers);
  await tx.run(`DELETE FROM asset WHERE ${all.text}`, [all.parameter]);
  await removeListedAssets(tx, numbers);
  return true;
}

async function removeRest(tx: Transaction, { number, id }: Removed): Promise<void> {
  const { languages } = await loadModel(tx, id);
  const views = tx.among(
    'view',
    languages.flatMap((language) => CHANNELS.map((channel) => viewOf(language, channel))),
  );
  for (const table of ['tally', 'resolved_block'])
    await tx.run(`DELETE FROM ${table} WHERE ${views.text}`, [views.parameter]);
  for (const table of TABLES) await tx.run(`DELETE FROM ${table} WHERE project = ?`, [number]);
  // The change log keeps its sequences: who follows it takes a gap for a loss. Entries of the project begin with its own: the
  // log before it may be long, and other writers wait.
  await tx.run(
    `UPDATE change SET project = NULL
     WHERE project = ? AND sequence >= coalesce((SELECT min(sequence) FROM change WHERE object = ?), 0)`,
    [number, id],
  );
  await tx.run(`DELETE FROM job WHERE project = ? AND kind <> '${IMPORT}'`, [number]);
  await tx.run('UPDATE job SET project = NULL WHERE project = ?', [number]);
  await tx.run('DELETE FROM project WHERE number = ?', [number]);
  tx.change({
    project: null,
    projectId: id,
    type: 'project',
    operation: 'delete',
    object: id,
    tags: [projectTag(id), PROJECTS, keysTag(id)],
    actor: null,
  });
}
