/** Export and import as the product does them, and what the database alone takes for the rows of an import. */
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import type { createCore } from '../../core/compose/create-core.ts';
import type { exportProject } from '../../core/transfer/export-project.ts';
import type { importProject } from '../../core/transfer/import-project.ts';
import { answerParent } from './answer-parent.ts';
import { built } from './built.ts';

export type TransferOrder =
  | { readonly do: 'export'; readonly folder: string; readonly project: string; readonly file: string }
  | { readonly do: 'import'; readonly folder: string; readonly file: string }
  | { readonly do: 'copy'; readonly from: string; readonly folder: string };

/** Items a second; the start of the process and of the store does not count. */
export interface TransferReply {
  readonly perSecond: number;
}

/** As many as the import takes in one transaction. */
const BATCH = 200;

type Row = Record<string, string | number | null>;

async function withCore<T>(
  folder: string,
  work: (core: Awaited<ReturnType<typeof createCore>>) => Promise<T>,
): Promise<T> {
  const { createCore: create } = await built<{ createCore: typeof createCore }>('core/compose/create-core');
  const log = { info() {}, warn() {}, error: (fields: object, text: string) => console.error(text, fields) };
  const core = await create({ dataDir: folder, vendor: { header: ['SVC'], mediaType: 'service' }, log });
  return work(core).finally(() => core.close());
}

function timed(items: number, began: number): TransferReply {
  return { perSecond: (items / (performance.now() - began)) * 1000 };
}

async function writeArchive(folder: string, project: string, file: string): Promise<TransferReply> {
  const module = await built<{ exportProject: typeof exportProject }>('core/transfer/export-project');
  return withCore(folder, async ({ operations }) => {
    const began = performance.now();
    const { items } = await module.exportProject(operations, project, createWriteStream(file), {
      archive: 'bench',
      created: new Date().toISOString(),
    });
    return timed(items, began);
  });
}

async function readArchive(folder: string, file: string): Promise<TransferReply> {
  const module = await built<{ importProject: typeof importProject }>('core/transfer/import-project');
  return withCore(folder, async ({ operations }) => {
    const began = performance.now();
    const { items } = await module.importProject(operations, createReadStream(file));
    return timed(items, began);
  });
}

class Database {
  readonly #database: sqlite3.Database;

  constructor(file: string) {
    this.#database = new sqlite3.Database(file);
  }

  execute(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.exec(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  all(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#database.all<Row>(text, parameters, (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  }

  async insert(table: string, rows: readonly Row[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {});
    if (columns.length === 0) return;
    const picks = columns.map((_, index) => `value ->> ${index}`).join(', ');
    await this.all(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks} FROM json_each(?)`, [
      JSON.stringify(rows.map((row) => columns.map((column) => row[column]))),
    ]);
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.close((error) => (error ? reject(error) : resolve()));
    });
  }
}

/** Tables with a row or more for each item, and how they are found from it. */
const TABLES: readonly (readonly [table: string, where: string])[] = [
  ['variant', 'item IN (SELECT value FROM json_each(?))'],
  ['version', 'variant IN (SELECT number FROM variant WHERE item IN (SELECT value FROM json_each(?)))'],
  ['document', 'item IN (SELECT value FROM json_each(?))'],
  ['entry', 'document IN (SELECT number FROM document WHERE item IN (SELECT value FROM json_each(?)))'],
  ['uses', 'document IN (SELECT number FROM document WHERE item IN (SELECT value FROM json_each(?)))'],
  ['resolved', 'item IN (SELECT value FROM json_each(?))'],
];

/** The rows an import made, written once more: durable, as many to a commit, reading them does not count. */
async function copyRows(from: string, folder: string): Promise<TransferReply> {
  const source = new Database(join(from, 'headwater.db'));
  const target = new Database(join(folder, 'copy.db'));
  await target.execute('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  await target.execute('PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY');
  // Tables before their indexes, without the triggers, which write rows of other tables.
  const schema = await source.all(
    `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'index')
       AND tbl_name IN (SELECT value FROM json_each(?)) ORDER BY type DESC`,
    [JSON.stringify(['item', ...TABLES.map(([table]) => table)])],
  );
  for (const { sql } of schema) await target.execute(String(sql));
  const numbers = (await source.all('SELECT number FROM item ORDER BY number')).map(({ number }) => number);
  let spent = 0;
  const commit = async (rows: readonly (readonly [string, readonly Row[]])[]) => {
    const began = performance.now();
    await target.execute('BEGIN IMMEDIATE');
    for (const [table, some] of rows) await target.insert(table, some);
    await target.execute('COMMIT');
    spent += performance.now() - began;
  };
  const batches = Array.from({ length: Math.ceil(numbers.length / BATCH) }, (_, index) =>
    JSON.stringify(numbers.slice(index * BATCH, (index + 1) * BATCH)),
  );
  for (const batch of batches)
    await commit([
      [
        'item',
        await source.all('SELECT * FROM item WHERE number IN (SELECT value FROM json_each(?))', [batch]),
      ],
    ]);
  for (const batch of batches) {
    const rows: [string, Row[]][] = [];
    for (const [table, where] of TABLES)
      rows.push([table, await source.all(`SELECT * FROM ${table} WHERE ${where}`, [batch])]);
    await commit(rows);
  }
  await source.close();
  await target.close();
  return { perSecond: (numbers.length / spent) * 1000 };
}

answerParent(async (order: TransferOrder): Promise<TransferReply> => {
  switch (order.do) {
    case 'export':
      return writeArchive(order.folder, order.project, order.file);
    case 'import':
      return readArchive(order.folder, order.file);
    case 'copy':
      return copyRows(order.from, order.folder);
  }
});
