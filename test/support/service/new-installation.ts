/** Data folders of new installations on SQLite: what each start would do anew is done once in a process, and copied. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CoreOptions } from '../../../core/compose/core-options.ts';
import { createCore } from '../../../core/compose/create-core.ts';
import { type LoadedSample, loadSample } from '../../../core/sample/load-sample.ts';
import { Connection } from '../../../core/storage/sqlite/connection.ts';
import { migrateSqlite } from '../../../core/storage/sqlite/open-sqlite.ts';
import { SILENT } from './core-settings.ts';

type Files = ReadonlyMap<string, Buffer>;

const DATABASE = 'headwater.db';

let tables: Promise<Files> | undefined;
let withSample: Promise<{ readonly files: Files; readonly sample: LoadedSample }> | undefined;

/** Writes a database with all tables and no rows. */
export async function writeTables(dataDir: string): Promise<void> {
  tables ??= filesOf(async (folder) => {
    await migrateSqlite(join(folder, DATABASE), {});
  });
  await write(await tables, dataDir);
}

/** Writes the sample project as a core with these settings loads it. */
export async function writeSample(dataDir: string, vendor: CoreOptions['vendor']): Promise<LoadedSample> {
  withSample ??= makeSample(vendor);
  const { files, sample } = await withSample;
  await write(files, dataDir);
  const database = await Connection.open(join(dataDir, DATABASE), { readOnly: false });
  // Another installation than the one that was copied: its id is made from the time.
  await database.run('UPDATE installation SET epoch = ?, created = ?', [
    randomUUID(),
    new Date().toISOString(),
  ]);
  await database.close();
  return sample;
}

async function makeSample(vendor: CoreOptions['vendor']) {
  let sample: LoadedSample | undefined;
  const files = await filesOf(async (dataDir) => {
    await writeTables(dataDir);
    const core = await createCore({ dataDir, vendor, log: SILENT });
    sample = await loadSample(core.operations);
    await core.operations.settled();
    await core.close();
  });
  return { files, sample: sample! };
}

/** What `work` leaves in a folder. */
async function filesOf(work: (folder: string) => Promise<void>): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-new-'));
  try {
    await work(folder);
    const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name).slice(folder.length + 1));
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Nothing that the folder has is replaced. */
async function write(files: Files, folder: string): Promise<void> {
  for (const [name, content] of files) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600, flag: 'wx' }).catch((error) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
