/**
 * What the database alone can do: the rows of an upsert, its compiled document and index rows included, by
 * prepared statements and with nothing read or worked out in between.
 */
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { answerParent } from './answer-parent.ts';

export type RawOrder =
  | { readonly do: 'open'; readonly folder: string /** External ids of the items. */; readonly like: string }
  | { readonly do: 'run'; readonly upserts: number /** To a commit. */; readonly group: number };

export interface RawReply {
  readonly perSecond: number;
}

type Row = Record<string, string | number | null>;

let database: sqlite3.Database;
const statements = new Map<string, sqlite3.Statement>();

function run(text: string, parameters: readonly unknown[] = []): Promise<void> {
  let statement = statements.get(text);
  if (!statement) {
    statement = database.prepare(text);
    statements.set(text, statement);
  }
  return new Promise((resolve, reject) => {
    statement.run(parameters, (error) => (error ? reject(error) : resolve()));
  });
}

function all(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    database.all<Row>(text, parameters, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}

/** Rows of one table in one statement; the first column may be given anew. */
async function insert(table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return;
  const picks = columns.map((_, index) => `value ->> ${index}`).join(', ');
  await run(`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${picks} FROM json_each(?)`, [
    JSON.stringify(rows.map((row) => columns.map((column) => row[column]))),
  ]);
}

interface Sample {
  readonly variant: number;
  readonly version: Row;
  document: Row;
  entries: readonly Row[];
  uses: readonly Row[];
  resolved: readonly Row[];
}

let samples: Sample[] = [];
let change: Row;
let project: number;
const next = { version: 0, document: 0, sequence: 0 };

async function open(folder: string, like: string): Promise<void> {
  database = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened = new sqlite3.Database(join(folder, 'headwater.db'), (error) =>
      error ? reject(error) : resolve(opened),
    );
  });
  await run('PRAGMA synchronous = FULL');
  await run('PRAGMA cache_size = -65536');
  const variants = await all(
    `SELECT v.number AS variant, v.draft AS draft, i.number AS item, i.project AS project FROM variant v
     JOIN item i ON i.number = v.item WHERE i.external_id LIKE ?`,
    [like],
  );
  for (const { variant, draft, item } of variants) {
    const [version] = await all('SELECT * FROM version WHERE number = ?', [draft]);
    const [document] = await all('SELECT * FROM document WHERE item = ?', [item]);
    samples.push({
      variant: variant as number,
      version: version!,
      document: document!,
      entries: await all('SELECT * FROM entry WHERE document = ?', [document!['number']]),
      uses: await all('SELECT * FROM uses WHERE document = ?', [document!['number']]),
      resolved: await all('SELECT * FROM resolved WHERE item = ?', [item]),
    });
  }
  samples = samples.filter(({ entries }) => entries.length > 5);
  project = variants[0]!['project'] as number;
  change = (await all('SELECT * FROM change ORDER BY sequence DESC LIMIT 1'))[0]!;
  next.version = (await all('SELECT max(number) AS last FROM version'))[0]!['last'] as number;
  next.document = (await all('SELECT max(number) AS last FROM document'))[0]!['last'] as number;
  next.sequence = change['sequence'] as number;
}

async function upsert(sample: Sample): Promise<void> {
  const version = ++next.version;
  const number = ++next.document;
  const sequence = ++next.sequence;
  const old = sample.document['number'];
  await run('UPDATE variant SET draft = ?, last_modified = ? WHERE number = ?', [
    version,
    new Date().toISOString(),
    sample.variant,
  ]);
  await insert('version', [{ ...sample.version, number: version, sequence }]);
  await run('DELETE FROM entry WHERE document = ?', [old]);
  await run('DELETE FROM uses WHERE document = ?', [old]);
  await run('DELETE FROM document WHERE number = ?', [old]);
  await run('DELETE FROM resolved WHERE item = ? AND view = ?', [
    sample.document['item'],
    sample.resolved[0]?.['view'],
  ]);
  sample.document = { ...sample.document, number, version, compiled_at: sequence };
  const of = (rows: readonly Row[]) => rows.map((row) => ({ ...row, document: number }));
  sample.entries = of(sample.entries);
  sample.uses = of(sample.uses);
  sample.resolved = of(sample.resolved);
  await insert('document', [sample.document]);
  await insert('entry', sample.entries);
  await insert('uses', sample.uses);
  await insert('resolved', sample.resolved);
  await run('UPDATE project SET sequence = ? WHERE number = ?', [sequence, project]);
  await insert('change', [{ ...change, sequence, part: 0 }]);
}

answerParent(async (order: RawOrder): Promise<RawReply> => {
  if (order.do === 'open') {
    await open(order.folder, order.like);
    return { perSecond: 0 };
  }
  const began = performance.now();
  for (let done = 0; done < order.upserts; ) {
    await run('BEGIN IMMEDIATE');
    for (let member = 0; member < order.group && done < order.upserts; member++, done++)
      await upsert(samples[done % samples.length]!);
    await run('UPDATE installation SET sequence = ?', [next.sequence]);
    await run('COMMIT');
  }
  return { perSecond: (order.upserts / (performance.now() - began)) * 1000 };
});
