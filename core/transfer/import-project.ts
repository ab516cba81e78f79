import { createHash } from 'node:crypto';
import { createProject } from '../access/projects.ts';
import { checkUpload } from '../assets/files.ts';
import { isId } from '../content/external-id.ts';
import { ServiceError } from '../errors.ts';
import { endJob, findJob, progressJob, startJob } from '../jobs/jobs.ts';
import type { Operations } from '../operations.ts';
import type { Session } from '../session.ts';
import type { Storage } from '../storage/ports.ts';
import {
  type ArchiveCounts,
  type ArchiveFile,
  type ArchiveHead,
  type ArchiveModel,
  checkRow,
  checkRows,
  damaged,
  FORMAT,
} from './archive-rows.ts';
import { IdMap } from './id-map.ts';
import { importAssets } from './import-assets.ts';
import { importItems, importVariants } from './import-items.ts';
import { importModel } from './import-model.ts';
import { type ArchiveEntry, readArchive } from './read-archive.ts';

export const IMPORT = 'import';

export interface ImportOptions {
  /** Id of the project to make; the one in the archive when not given. */
  readonly project?: string;
  /** Its name; the one in the archive when not given. */
  readonly name?: string;
  readonly actor?: string | null;
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface Imported extends ArchiveCounts {
  readonly project: string;
  readonly job: string;
  /** All of it was there already. */
  readonly repeated: boolean;
}

/**
 * Makes a project from an archive, batch by batch, each a transaction with its progress. What broke off goes on
 * where it was when the same archive is imported again; what was finished is left as it is.
 * @throws conflict where the project exists and did not come from this archive, or is being imported just now
 */
export async function importProject(
  operations: Operations,
  source: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<Imported> {
  const entries = readArchive(source);
  const first = await entries.next();
  if (first.done || first.value.name !== 'headwater.json') throw damaged('it does not begin as one');
  const head = readHead(await first.value.json());
  const leave = enter(operations.storage, projectOf(head, options));
  try {
    const importer = await Importer.begin(operations, head, options);
    if (!importer) return await repeated(operations, head, options);
    try {
      for await (const entry of entries) {
        options.signal?.throwIfAborted();
        await importer.entry(entry);
      }
      return await importer.end();
    } catch (error) {
      await importer.brokenOff(error as Error);
      throw error;
    }
  } finally {
    leave();
    await entries.return(undefined);
  }
}

/** Projects that are being imported; the process that has the storage open is the only one that does. */
const underWay = new WeakMap<Storage, Set<string>>();

/** @throws conflict for the second of two imports at once, which would get into each other's progress */
function enter(storage: Storage, project: string): () => void {
  const projects = underWay.get(storage) ?? new Set();
  underWay.set(storage, projects);
  if (projects.has(project))
    throw new ServiceError('conflict', `The project '${project}' is being imported just now.`);
  projects.add(project);
  return () => void projects.delete(project);
}

/** At the start: imports that a process took with it when it died are told as what they are. */
export async function failImportsBrokenOff(storage: Storage): Promise<void> {
  const left = await storage.sql.all<{ id: string }>(
    `SELECT id FROM job WHERE kind = '${IMPORT}' AND state = 'running'`,
  );
  if (left.length === 0) return;
  await storage.write(async (tx) => {
    for (const { id } of left)
      await endJob(tx, id, 'failed', 'The service stopped meanwhile; import the archive again to go on.');
  });
}

const HASH = /^[0-9a-f]{64}$/;

/** Breaks off at the end of content that is not what it should be, so that nothing of it is kept. */
async function* proven(content: AsyncIterable<Uint8Array>, hash: string): AsyncGenerator<Uint8Array> {
  const sum = createHash('sha256');
  for await (const chunk of content) {
    sum.update(chunk);
    yield chunk;
  }
  if (sum.digest('hex') !== hash) throw damaged(`the file ${hash} is not what it was`);
}

class Importer {
  readonly #operations: Operations;
  readonly #head: ArchiveHead;
  readonly #options: ImportOptions;
  readonly #project: string;
  readonly #job: string;
  readonly #ids: IdMap;
  /** Sizes of files by hash, as their records tell them. */
  readonly #expected = new Map<string, number>();
  #done = 0;
  #whole = false;

  private constructor(
    operations: Operations,
    head: ArchiveHead,
    options: ImportOptions,
    project: string,
    job: string,
  ) {
    this.#operations = operations;
    this.#head = head;
    this.#options = options;
    this.#project = project;
    this.#job = job;
    this.#ids = new IdMap(head.project.id, project);
  }

  /** Undefined when the archive has been imported before. */
  static async begin(
    operations: Operations,
    head: ArchiveHead,
    options: ImportOptions,
  ): Promise<Importer | undefined> {
    const project = projectOf(head, options);
    const before = await lastImport(operations, project);
    if (before && before.archive !== head.archive)
      throw new ServiceError(
        'conflict',
        `There already is a project with the id '${project}'; give another id.`,
      );
    if (before?.state === 'done') return undefined;
    if (before?.job) {
      const { job } = before;
      await operations.storage.write((tx) =>
        tx.run(`UPDATE job SET state = 'running', error = NULL, done = 0, updated = ? WHERE id = ?`, [
          tx.now,
          job,
        ]),
      );
      return new Importer(operations, head, options, project, job);
    }
    const actor = options.actor ?? null;
    const { job } = await operations.installation(actor, async (to) => {
      const made = await createProject(to, { id: project, name: options.name ?? head.project.name });
      const id = to.kit.newId();
      const { assets, items, variants } = head.counts;
      // One more for the model: a project without content is imported too.
      const total = 1 + assets + items + variants;
      const subject = `archive ${head.archive}`;
      await startJob(to.tx, { id, kind: IMPORT, project: made.number, subject, total, actor });
      return { id: made.id, job: id };
    });
    return new Importer(operations, head, options, project, job);
  }

  async entry(entry: ArchiveEntry): Promise<void> {
    const [folder, name = ''] = entry.name.split('/');
    switch (folder) {
      case 'files':
        return this.#file(name, entry);
      case 'model.json': {
        const model = readModel(await entry.json());
        return this.#write(1, (session) => importModel(session, model));
      }
      case 'assets': {
        const assets = checkRows<Parameters<typeof importAssets>[1][number]>('asset', await entry.lines());
        for (const { file } of assets) if (file) this.#expect(checkRow<typeof file>('file', file));
        return this.#write(assets.length, (session) => importAssets(session, assets, this.#ids));
      }
      case 'items': {
        const items = checkRows<Parameters<typeof importItems>[1][number]>('item', await entry.lines());
        return this.#write(items.length, (session) => importItems(session, items, this.#ids));
      }
      case 'variants': {
        const variants = checkRows<Parameters<typeof importVariants>[1][number]>(
          'variant',
          await entry.lines(),
        );
        for (const { versions } of variants) checkRows('version', versions);
        return this.#write(variants.length, (session) => importVariants(session, variants, this.#ids));
      }
      case 'end.json':
        this.#whole = true;
    }
  }

  async end(): Promise<Imported> {
    if (!this.#whole) throw damaged('it ends too early; was it cut off?');
    for (const [hash, told] of this.#expected) {
      const size = await this.#operations.blobs.size(hash);
      if (size === undefined) throw damaged(`the file ${hash} is missing`);
      if (size !== told) throw damaged(`the file ${hash} has ${size} bytes, not ${told}`);
    }
    await this.#operations.storage.write((tx) => endJob(tx, this.#job, 'done'));
    return { ...this.#head.counts, project: this.#project, job: this.#job, repeated: false };
  }

  /** What is there stays, for the next try to go on from. */
  async brokenOff(error: Error): Promise<void> {
    const { storage } = this.#operations;
    const { state } = await findJob(storage.sql, this.#job);
    if (state === 'running') await storage.write((tx) => endJob(tx, this.#job, 'failed', error.message));
  }

  async #file(hash: string, entry: ArchiveEntry): Promise<void> {
    const { blobs } = this.#operations;
    if (!HASH.test(hash)) throw damaged('a file has no proper name');
    if ((await blobs.size(hash)) === undefined) await blobs.put(proven(entry.content, hash));
  }

  /** Files are served by what their records say, so those are held to what uploads are. */
  #expect(file: ArchiveFile): void {
    if (!HASH.test(file.hash)) throw damaged('the hash of a file is none');
    try {
      checkUpload(file);
    } catch {
      throw damaged(`the file ${file.hash} has no name or type that an upload could have`);
    }
    if ((this.#expected.get(file.hash) ?? file.size) !== file.size)
      throw damaged(`the file ${file.hash} has two sizes`);
    this.#expected.set(file.hash, file.size);
  }

  /** One batch and its progress; a job that was canceled writes nothing more. */
  async #write(count: number, work: (session: Session) => Promise<void>): Promise<void> {
    const { actor = null, progress } = this.#options;
    this.#done += count;
    await this.#operations.inProject(this.#project, actor, async (session) => {
      const { state, total } = await findJob(session.tx, this.#job);
      if (state !== 'running') throw new ServiceError('conflict', `The import was ${state}.`);
      await work(session);
      session.change('project', 'import', session.project.id, [`project:${session.project.id}`]);
      // Done is for `end` to say, when the archive has been seen to be whole.
      await progressJob(session.tx, this.#job, Math.min(this.#done, (total ?? 1) - 1));
    });
    progress?.(
      this.#done,
      1 + this.#head.counts.assets + this.#head.counts.items + this.#head.counts.variants,
    );
  }
}

async function repeated(
  operations: Operations,
  head: ArchiveHead,
  options: ImportOptions,
): Promise<Imported> {
  const project = projectOf(head, options);
  const before = await lastImport(operations, project);
  return { ...head.counts, project, job: before?.job ?? '', repeated: true };
}

function projectOf(head: ArchiveHead, options: ImportOptions): string {
  return (options.project ?? head.project.id).toLowerCase();
}

/** The import that made a project, if one did; undefined when there is no such project. */
async function lastImport({ storage }: Operations, project: string) {
  const row = await storage.sql.get<{ job: string | null; subject: string | null; state: string | null }>(
    `SELECT j.id AS job, j.subject AS subject, j.state AS state
     FROM project p LEFT JOIN job j ON j.project = p.number AND j.kind = '${IMPORT}' WHERE p.id = ?`,
    [project],
  );
  return row && { job: row.job, archive: row.subject?.replace(/^archive /, ''), state: row.state };
}

function readHead(value: unknown): ArchiveHead {
  const head = (typeof value === 'object' && value !== null ? value : {}) as Partial<ArchiveHead>;
  if (typeof head.format === 'number' && head.format > FORMAT)
    throw new ServiceError('badRequest', 'The archive was made by a newer version than this one.');
  const { archive, project, counts } = head;
  const counted = counts && [counts.assets, counts.items, counts.variants];
  if (
    head.format !== FORMAT ||
    typeof archive !== 'string' ||
    typeof project?.id !== 'string' ||
    !isId(project.id) ||
    typeof project.name !== 'string' ||
    !counted?.every((count) => Number.isSafeInteger(count) && count >= 0)
  )
    throw damaged('its head is wrong');
  return head as ArchiveHead;
}

function readModel(value: unknown): ArchiveModel {
  const model = checkRow<ArchiveModel>('model', value);
  checkRows('language', model.languages);
  checkRows('taxonomy', model.taxonomies);
  checkRows('snippet', model.snippets);
  checkRows('type', model.types);
  return model;
}
