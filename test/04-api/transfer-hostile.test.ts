/**
 * Archives with invalid changes. Each is imported completely and can then be served, or it is refused and
 * nothing of it remains. A failure prints its seed; HEADWATER_TEST_SEED=<seed> runs that one alone. The archive is
 * written to a file: in `test/support/archives/found` it is tried in every run, also when the generator changes.
 */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { ServiceError } from '../../core/errors.ts';
import { type Imported, importProject } from '../../core/transfer/import-project.ts';
import { removeImport } from '../../core/transfer/remove-import.ts';
import { archiveProject } from '../support/archives/archive-project.ts';
import { hostileArchive } from '../support/archives/hostile-archive.ts';
import { PROJECT_TABLES } from '../support/archives/project-tables.ts';
import { wrongWith } from '../support/archives/served-content.ts';
import { archiveOf, readEntries, type TarEntry, writeEntries } from '../support/archives/tar-entries.ts';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const ARCHIVES = isLongForm ? 10_000 : 40;
/** Seeds of the exported projects: small, for many runs. */
const BASES = [5, 7, 8, 12];
/** Further projects for the round trip. */
const MORE = isLongForm ? 100 : 2;
/** One of this many imports uses HTTP, with gateway and plugins. */
const OVER_HTTP = 20;
/** Archives that were once answered with 500, were not removed completely, or served invalid content. */
const FOUND = join(import.meta.dirname, '../support/archives/found');

const given = process.env['HEADWATER_TEST_SEED'];
const seeds = testSeeds(ARCHIVES);

const TABLES = [...PROJECT_TABLES, 'change'];

describe('hostile archives', function () {
  this.timeout(isLongForm ? 3_600_000 : 600_000);
  let source: RunningService;
  let target: RunningService;
  const bases: TarEntry[][] = [];

  before(async () => {
    source = await startService();
    target = await startService();
    for (const seed of BASES) bases.push(await made(seed));
  });
  after(async () => {
    await source.stop();
    await target.stop();
  });

  it('export, import and export again give the same archive', async () => {
    const more = Array.from({ length: MORE }, (_, at) => 100 + at);
    for (const [at, seed] of [...BASES, ...more].entries()) {
      const base = bases[at] ?? (await made(seed));
      const imported = await importProject(target.core.operations, Readable.from([await writeEntries(base)]));
      const again = await readEntries(await archiveOf(target.core.operations, imported.project));
      expect(texts(again), `seed ${seed}`).to.deep.equal(texts(base));
      expect(await wrongWith(target.core, imported.project)).to.deep.equal([]);
      await remove(imported);
    }
  });

  it('that were found before are refused or served', async () => {
    for (const name of await readdir(FOUND)) {
      await tryBytes(await readFile(join(FOUND, name)), false).catch((error: Error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      });
      expect(await remaining(), name).to.deep.equal([]);
    }
  });

  it(`(${seeds.length}) are imported and served, or refused without a trace`, async () => {
    const counts = { imported: 0, refused: 0 };
    // One of each base at a time: their commits share the flushes of the disk.
    for (let at = 0; at < seeds.length; at += BASES.length) {
      const some = seeds.slice(at, at + BASES.length);
      const served = await Promise.all(
        some.map((seed, index) => tryOne(seed, (at + index) % OVER_HTTP === 0)),
      );
      for (const isServed of served) counts[isServed ? 'imported' : 'refused'] += 1;
      expect(await remaining(), `one of the seeds ${some.join(', ')}`).to.deep.equal([]);
    }
    // Else the changes are too large, or none.
    if (!given) {
      expect(counts.imported / seeds.length).to.be.greaterThan(0.02);
      expect(counts.refused / seeds.length).to.be.greaterThan(0.5);
    }
  });

  async function made(seed: number): Promise<TarEntry[]> {
    return readEntries(await archiveOf(source.core.operations, await archiveProject(source.core, seed)));
  }

  /** @returns whether it was imported */
  async function tryOne(seed: number, overHttp: boolean): Promise<boolean> {
    const random = new Random(seed);
    const bytes = await hostileArchive(bases[seed % BASES.length] ?? [], random);
    const project = random.chance(0.5) ? random.guid() : undefined;
    try {
      return await tryBytes(bytes, overHttp, project);
    } catch (error) {
      const file = join(tmpdir(), `headwater-archive-${seed}.tar`);
      await writeFile(file, bytes);
      throw new Error(`seed ${seed}, ${file}: ${(error as Error).message}`, { cause: error });
    }
  }

  async function tryBytes(bytes: Buffer, overHttp: boolean, project?: string): Promise<boolean> {
    const imported = await (overHttp ? post(bytes, project) : importInto(bytes, project));
    if (imported) {
      await target.core.operations.settled();
      expect(await wrongWith(target.core, imported.project)).to.deep.equal([]);
      await remove(imported);
    }
    return imported !== undefined;
  }

  async function importInto(bytes: Buffer, project?: string): Promise<Imported | undefined> {
    try {
      return await importProject(target.core.operations, Readable.from([bytes]), project ? { project } : {});
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 400) throw error;
      checkFindings(error.validationErrors);
      return undefined;
    }
  }

  async function post(bytes: Buffer, project?: string): Promise<Imported | undefined> {
    const response = await fetch(`${target.url}/admin/projects/import${project ? `?id=${project}` : ''}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.adminToken}`, 'content-type': 'application/x-tar' },
      body: new Uint8Array(bytes),
    });
    const body = (await response.json()) as Imported & { id: string; validation_errors?: [] };
    expect([201, 400], JSON.stringify(body)).to.include(response.status);
    if (response.status === 201) return { ...body, project: body.id };
    checkFindings(body.validation_errors);
    return undefined;
  }

  function checkFindings(findings: readonly { readonly message: string }[] | undefined): void {
    expect(findings?.length ?? 0).to.be.at.most(101);
    for (const { message } of findings ?? []) expect(message.length).to.be.lessThan(1000);
  }

  /** As an interrupted import is. */
  async function remove({ job, project }: Imported): Promise<void> {
    const { storage } = target.core.operations;
    await storage.write(async (tx) => {
      await tx.run(`UPDATE job SET state = 'running' WHERE id = ?`, [job]);
      await tx.run('UPDATE project SET archived = (SELECT created FROM job WHERE id = ?) WHERE id = ?', [
        job,
        project,
      ]);
    });
    await removeImport(storage, job, 'removed');
  }

  /** Tables with rows of a project, and files that are unfinished. */
  async function remaining(): Promise<string[]> {
    const counts = TABLES.map((table) => {
      const own = table === 'change' ? 'WHERE project IS NOT NULL' : '';
      return `SELECT '${table}' AS name FROM ${table} ${own}`;
    });
    const rows = await target.core.operations.storage.sql.all<{ name: string }>(
      `${counts.join(' UNION ')} UNION SELECT 'job' FROM job WHERE state IN ('waiting', 'running')`,
    );
    return [...rows.map(({ name }) => name), ...(await target.unfinishedFiles())];
  }
});

/** Of all but the head, whose archive is another one. */
function texts(entries: readonly TarEntry[]): [string, string][] {
  return entries.flatMap(({ name, content }) =>
    name === 'headwater.json' || name.startsWith('files/')
      ? []
      : [[name, content.toString()] as [string, string]],
  );
}
