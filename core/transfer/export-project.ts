import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack as openPack, type Pack } from 'tar-stream';
import type { Sql } from '../storage/sql.ts';
import { projectRow } from '../transaction/installation.ts';
import type { Operations } from '../transaction/operations.ts';
import { nextPiece, sumOf } from '../turns/in-pieces.ts';
import { jsonBytes } from '../turns/json-bytes.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import {
  type ArchiveAsset,
  type ArchiveCounts,
  type ArchiveFile,
  type ArchiveHead,
  type ArchiveItem,
  type ArchivePreviewUrl,
  type ArchiveVariant,
  FORMAT,
} from './archive-rows.ts';

/** Rows per statement and per part of the archive; large rows make smaller parts. */
const ROWS = 200;
const PART_BYTES = 4 * 2 ** 20;

export interface ExportOptions {
  readonly archive: string;
  readonly created: string;
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: Pick<AbortSignal, 'throwIfAborted'>;
}

/**
 * Writes a project as one archive: model, preview URLs, items with drafts and published versions, schedules, assets and files, but
 * no keys, users, webhooks and history. It reads one snapshot, so `into` should be fast: a file.
 */
export async function exportProject(
  operations: Pick<Operations, 'storage' | 'blobs'>,
  projectId: string,
  into: Writable,
  options: ExportOptions,
): Promise<ArchiveCounts> {
  const pack = openPack();
  // An error of either side ends both; `await written` reports it.
  const written = pipeline(pack, into);
  written.catch((error) => pack.destroy(error));
  try {
    const counts = await new Exporter(operations, pack, options).run(projectId);
    pack.finalize();
    await written;
    return counts;
  } catch (error) {
    pack.destroy(error as Error);
    // The error of `into` is the cause of the later one.
    throw await written.then(
      () => error,
      (first: unknown) => first,
    );
  }
}

class Exporter {
  readonly #operations: Pick<Operations, 'storage' | 'blobs'>;
  readonly #pack: Pack;
  readonly #options: ExportOptions;
  readonly #files = new Set<string>();
  #done = 0;
  #total = 0;

  constructor(operations: Pick<Operations, 'storage' | 'blobs'>, pack: Pack, options: ExportOptions) {
    this.#operations = operations;
    this.#pack = pack;
    this.#options = options;
  }

  async run(projectId: string): Promise<ArchiveCounts> {
    const { storage } = this.#operations;
    return storage.snapshot(
      async (sql) => {
        const project = await projectRow(sql, projectId);
        const counts = await countRows(sql, project.number);
        this.#total = counts.assets + counts.items + counts.variants;
        const { archive, created } = this.#options;
        const { id, name } = project;
        const head: ArchiveHead = { format: FORMAT, archive, created, project: { id, name }, counts };
        await this.#json('headwater.json', head);
        await this.#json('model.json', await readModel(sql, project.number));
        await this.#rows('assets', assetRows(sql, project.number), (asset) => this.#file(asset.file));
        await this.#rows('items', itemRows(sql, project.number));
        await this.#rows('variants', variantRows(sql, project.number));
        await this.#json('end.json', counts);
        return counts;
      },
      { stream: true },
    );
  }

  /** Writes rows in parts; a batch stays in one part. */
  async #rows<Row>(
    folder: string,
    batches: AsyncIterable<readonly Row[]>,
    before?: (row: Row) => Promise<void>,
  ): Promise<void> {
    let part = 0;
    let lines: Uint8Array[] = [];
    let count = 0;
    let size = 0;
    const flush = async () => {
      if (count === 0) return;
      part += 1;
      await this.#entry(`${folder}/${String(part).padStart(6, '0')}.ndjson`, lines);
      lines = [];
      count = 0;
      size = 0;
    };
    for await (const rows of batches) {
      this.#options.signal?.throwIfAborted();
      for (const row of rows) {
        await before?.(row);
        if (isTurnLong()) await nextTurn();
        const line = await jsonBytes(row);
        lines.push(...line, LINE_FEED);
        count += 1;
        size += lengthOf(line) + 1;
      }
      if (size > PART_BYTES || count >= ROWS) await flush();
      this.#done += rows.length;
      this.#options.progress?.(this.#done, this.#total);
    }
    await flush();
  }

  async #file(file: ArchiveFile | null): Promise<void> {
    if (!file || this.#files.has(file.hash)) return;
    this.#options.signal?.throwIfAborted();
    this.#files.add(file.hash);
    const entry = this.#pack.entry({ name: `files/${file.hash}`, size: file.size });
    await pipeline(this.#operations.blobs.open(file.hash), entry);
  }

  async #json(name: string, value: unknown): Promise<void> {
    await this.#entry(name, await jsonBytes(value));
  }

  /** Resolves when the bytes are written, so that memory stays bounded. */
  async #entry(name: string, content: readonly Uint8Array[]): Promise<void> {
    await pipeline(Readable.from(content), this.#pack.entry({ name, size: lengthOf(content) }));
  }
}

const LINE_FEED = Buffer.from('\n');

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** How much of a project an export writes. */
export async function countRows(sql: Sql, project: number): Promise<ArchiveCounts> {
  const row = await sql.get<ArchiveCounts>(
    `SELECT (SELECT count(*) FROM asset WHERE project = ?) AS assets,
       (SELECT count(*) FROM item WHERE project = ?) AS items,
       (SELECT count(*) FROM variant v JOIN item i ON i.number = v.item WHERE i.project = ?) AS variants`,
    [project, project, project],
  );
  return row ?? { assets: 0, items: 0, variants: 0 };
}

async function readModel(sql: Sql, project: number) {
  const own = [project];
  const part = 'id, name, codename, external_id';
  const row = await sql.get(
    'SELECT sitemap, asset_folders, folders_changed FROM project WHERE number = ?',
    own,
  );
  const urls = await sql.all<ArchivePreviewUrl>(
    `SELECT u.type AS type, u.language AS language, u.url AS url FROM preview_url u WHERE u.project = ?
       AND (u.type IS NULL OR EXISTS (SELECT 1 FROM content_type t WHERE t.project = u.project AND t.id = u.type))
       AND (u.language IS NULL OR EXISTS (SELECT 1 FROM language l WHERE l.project = u.project AND l.id = u.language))
     ORDER BY u.position`,
    own,
  );
  return {
    ...row,
    languages: await sql.all(
      `SELECT ${part}, ordinal, active, is_default, fallback FROM language WHERE project = ? ORDER BY ordinal`,
      own,
    ),
    taxonomies: await sql.all(
      `SELECT ${part}, terms, last_modified, archived FROM taxonomy WHERE project = ? ORDER BY number`,
      own,
    ),
    snippets: await sql.all(
      `SELECT ${part}, elements, last_modified FROM snippet WHERE project = ? ORDER BY number`,
      own,
    ),
    types: await sql.all(
      `SELECT ${part}, elements, content_groups, last_modified FROM content_type WHERE project = ? ORDER BY number`,
      own,
    ),
    ...(urls.length > 0 && { preview_urls: urls }),
  };
}

async function* assetRows(sql: Sql, project: number): AsyncGenerator<ArchiveAsset[]> {
  for (let after = 0; ; ) {
    const rows = await sql.all<Omit<ArchiveAsset, 'file'> & { number: number; file: string | null }>(
      `SELECT number, id, external_id, title, descriptions, folder, created, last_modified, archived, file
       FROM asset WHERE project = ? AND number > ? ORDER BY number LIMIT ${ROWS}`,
      [project, after],
    );
    if (rows.length === 0) return;
    after = rows.at(-1)?.number ?? after;
    const among = sql.among(
      'id',
      rows.flatMap(({ file }) => (file === null ? [] : [file])),
    );
    const files = await sql.all<ArchiveFile>(
      `SELECT id, name, hash, size, type, width, height, created FROM file WHERE ${among.text}`,
      [among.parameter],
    );
    const byId = new Map(files.map((file) => [file.id, file]));
    yield rows.map(({ number: _, file, ...asset }) => ({
      ...asset,
      file: file === null ? null : (byId.get(file) ?? null),
    }));
  }
}

/** The unary plus makes the planner walk the numbers in order instead of sorting all items for each batch. */
async function* itemRows(sql: Sql, project: number): AsyncGenerator<ArchiveItem[]> {
  for (let after = 0; ; ) {
    const rows = await sql.all<ArchiveItem & { number: number }>(
      `SELECT i.number AS number, i.id AS id, i.name AS name, i.codename AS codename, i.external_id AS external_id,
         t.id AS type, i.sitemap_locations AS sitemap_locations, i.created AS created,
         i.last_modified AS last_modified, i.archived AS archived
       FROM item i LEFT JOIN content_type t ON t.number = i.type
       WHERE +i.project = ? AND i.number > ? ORDER BY i.number LIMIT ${ROWS}`,
      [project, after],
    );
    if (rows.length === 0) return;
    after = rows.at(-1)?.number ?? after;
    yield rows.map(({ number: _, ...item }) => item);
  }
}

/** Reads the variants of several items at a time, of fewer where they are large. Those of one item stay together. */
async function* variantRows(sql: Sql, project: number): AsyncGenerator<ArchiveVariant[]> {
  let batch = 4;
  for (let after = 0; ; ) {
    const items = await sql.all<{ number: number }>(
      `SELECT number FROM item WHERE +project = ? AND number > ? ORDER BY number LIMIT ${batch}`,
      [project, after],
    );
    if (items.length === 0) return;
    after = items.at(-1)?.number ?? after;
    const among = sql.among(
      'v.item',
      items.map(({ number }) => number),
    );
    const rows = await sql.all<VariantRow>(
      `SELECT i.id AS item, l.id AS language, v.draft AS draft, v.published AS published,
         v.scheduled_to AS scheduled_to, v.schedule AS schedule, v.was_published AS was_published,
         v.last_modified AS last_modified, v.archived AS archived,
         d.elements AS draft_elements, d.created AS draft_created, d.account AS draft_account,
         p.elements AS elements, p.created AS created, p.account AS account
       FROM variant v JOIN item i ON i.number = v.item JOIN language l ON l.number = v.language
         LEFT JOIN version d ON d.number = v.draft LEFT JOIN version p ON p.number = v.published
       WHERE ${among.text} ORDER BY v.item, v.number`,
      [among.parameter],
    );
    yield rows.map(toVariant);
    const characters = sumOf(
      rows,
      ({ elements, draft_elements }) => (elements?.length ?? 0) + (draft_elements?.length ?? 0),
    );
    batch = nextPiece(batch, characters, ROWS / 4);
  }
}

interface VariantRow extends Omit<ArchiveVariant, 'versions'> {
  readonly draft_elements: string | null;
  readonly draft_created: string | null;
  readonly draft_account: string | null;
  readonly elements: string | null;
  readonly created: string | null;
  readonly account: string | null;
}

/** An unchanged new version is the published version itself. */
function toVariant(row: VariantRow): ArchiveVariant {
  const { draft_elements, draft_created, draft_account, elements, created, account, ...variant } = row;
  const versions = [];
  if (elements !== null) versions.push({ elements, created: created ?? '', account });
  const published = elements === null ? null : 0;
  if (row.draft === null || row.draft === row.published)
    return { ...variant, versions, published, draft: row.draft === null ? null : 0 };
  const draft = versions.length;
  versions.push({ elements: draft_elements ?? '{}', created: draft_created ?? '', account: draft_account });
  return { ...variant, versions, published, draft };
}
