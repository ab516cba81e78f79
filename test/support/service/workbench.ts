import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject, type NewProject } from '../../../core/access/projects.ts';
import { commitParticipants } from '../../../core/compose/commit-participants.ts';
import type { Blobs } from '../../../core/storage/blobs/blobs.ts';
import { openDiskBlobs } from '../../../core/storage/blobs/disk-blobs.ts';
import type { Storage } from '../../../core/storage/ports.ts';
import type { Sql } from '../../../core/storage/sql.ts';
import { inProject } from '../../../core/transaction/in-project.ts';
import type { Installation } from '../../../core/transaction/installation.ts';
import type { OperationOptions, ProjectTransaction } from '../../../core/transaction/project-transaction.ts';
import { type TestDatabase, testDatabase } from '../database/test-database.ts';

/** Operations on a real database in a folder of its own, with one project. */
export interface Workbench {
  readonly storage: Storage;
  readonly sql: Sql;
  readonly blobs: Blobs;
  readonly project: NewProject;
  /** Contains database and files. */
  readonly folder: string;
  /** One transaction over the project. */
  run<T>(work: (transaction: ProjectTransaction) => Promise<T>): Promise<T>;
  installation<T>(work: (installation: Installation) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openWorkbench(
  openDatabase: () => Promise<TestDatabase> = testDatabase,
): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-workbench-'));
  let minutes = 0;
  // Each transaction is a minute later than the one before, so that a change shows in the times.
  const clock = () => new Date(Date.UTC(2030, 0, 1, 0, minutes++));
  const database = await openDatabase();
  const storage = await database.open(folder, clock);
  const blobs = await openDiskBlobs(join(folder, 'blobs'));
  const options = countingIds();
  const installation = <T>(work: (installation: Installation) => Promise<T>) =>
    storage.write((tx) => work({ tx, actor: null, options }));
  const project = await installation((at) =>
    createProject(at, { name: 'Bench', default_language: { name: 'English', codename: 'en' } }),
  );
  return {
    storage,
    sql: storage.sql,
    blobs,
    project,
    folder,
    run: (work) =>
      inProject(
        storage,
        { options, participants: commitParticipants({ mediaType: 'service' }) },
        project.id,
        null,
        work,
      ),
    installation,
    async close() {
      await storage.close();
      await rm(folder, { recursive: true, force: true });
      await database.remove();
    },
  };
}

/** Ids that are the same in every run and differ in their first digits. */
function countingIds(): OperationOptions {
  let count = 0;
  return {
    newId() {
      count += 1;
      const head = ((count * 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
      return `${head}-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
    },
  };
}
