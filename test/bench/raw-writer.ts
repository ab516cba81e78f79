/**
 * What the database alone can do: the rows of an upsert, its compiled document and index rows included, by
 * prepared statements and with nothing read or worked out in between.
 */
import { answerParent } from './answer-parent.ts';
import { openRawPostgres, openRawSqlite, type RawDatabase, type Row } from './raw-database.ts';

export type RawOrder =
  | {
      readonly do: 'open';
      /** A data folder, or the URL of a database. */
      readonly over: { readonly folder: string } | { readonly url: string };
      /** External ids of the items. */
      readonly like: string;
    }
  | {
      readonly do: 'run';
      readonly upserts: number;
      /** To a commit. */
      readonly group: number;
    }
  | {
      readonly do: 'publish';
      readonly items: number;
    };

export interface RawReply {
  readonly perSecond: number;
}

let database: RawDatabase;

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

async function open({ over, like }: Extract<RawOrder, { do: 'open' }>): Promise<void> {
  database = await ('url' in over ? openRawPostgres(over.url) : openRawSqlite(over.folder));
  const all: RawDatabase['all'] = (...given) => database.all(...given);
  const variants = await all(
    `SELECT v.number AS variant, coalesce(v.draft, v.published) AS latest, i.number AS item, i.project AS project FROM variant v
     JOIN item i ON i.number = v.item WHERE i.external_id LIKE ?`,
    [like],
  );
  for (const { variant, latest, item } of variants) {
    const [version] = await all('SELECT * FROM version WHERE number = ?', [latest]);
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
  const sequence = ++next.sequence;
  await database.run('UPDATE variant SET draft = ?, last_modified = ? WHERE number = ?', [
    version,
    new Date().toISOString(),
    sample.variant,
  ]);
  await database.insert('version', [{ ...sample.version, number: version, sequence }]);
  const old = sample.document['number'];
  await database.run('DELETE FROM entry WHERE document = ?', [old]);
  await database.run('DELETE FROM uses WHERE document = ?', [old]);
  await database.run('DELETE FROM document WHERE number = ?', [old]);
  for (const { view } of sample.resolved)
    await database.run('DELETE FROM resolved WHERE item = ? AND view = ?', [sample.document['item'], view]);
  compileAgain(sample, version, sequence);
  await database.insert('document', [sample.document]);
  await database.insert('entry', sample.entries);
  await database.insert('uses', sample.uses);
  await database.insert('resolved', sample.resolved);
  await database.run('UPDATE project SET sequence = ? WHERE number = ?', [sequence, project]);
  await database.insert('change', [{ ...change, sequence, part: 0 }]);
}

function compileAgain(sample: Sample, version: number, sequence: number): void {
  const number = ++next.document;
  sample.document = { ...sample.document, number, version, compiled_at: sequence };
  const of = (rows: readonly Row[]) => rows.map((row) => ({ ...row, document: number }));
  sample.entries = of(sample.entries);
  sample.uses = of(sample.uses);
  sample.resolved = of(sample.resolved);
}

/** Items that one statement writes when one call publishes many. */
const BATCH = 200;

/**
 * The rows that one call writes when it publishes items, in one statement for each table. A statement for each row would
 * wait 12 times an item for the thread of the database, and so measure that.
 */
async function publish(published: readonly Sample[], sequence: number, from: number): Promise<void> {
  const among = (of: (sample: Sample) => Row[string] | number) => JSON.stringify(published.map(of));
  await database.run(
    `UPDATE variant SET published = coalesce(draft, published), draft = NULL, was_published = 1
     WHERE ${database.among('number')}`,
    [among(({ variant }) => variant)],
  );
  const old = among(({ document }) => document['number']!);
  await database.run(`DELETE FROM entry WHERE ${database.among('document')}`, [old]);
  await database.run(`DELETE FROM uses WHERE ${database.among('document')}`, [old]);
  await database.run(`DELETE FROM document WHERE ${database.among('number')}`, [old]);
  const views = new Set(published.flatMap(({ resolved }) => resolved.map(({ view }) => view)));
  await database.run(`DELETE FROM resolved WHERE ${database.among('view')} AND ${database.among('item')}`, [
    JSON.stringify([...views]),
    among(({ document }) => document['item']!),
  ]);
  for (const sample of published) compileAgain(sample, sample.version['number'] as number, sequence);
  await database.insert(
    'document',
    published.map(({ document }) => document),
  );
  for (const table of ['entries', 'uses', 'resolved'] as const)
    await database.insert(
      table === 'entries' ? 'entry' : table,
      published.flatMap((sample) => sample[table]),
    );
  await database.insert(
    'change',
    published.map((_, part) => ({ ...change, sequence, part: from + part })),
  );
}

answerParent(async (order: RawOrder): Promise<RawReply> => {
  if (order.do === 'open') {
    await open(order);
    return { perSecond: 0 };
  }
  const began = performance.now();
  if (order.do === 'publish') {
    if (samples.length < order.items) throw new Error(`There are only ${samples.length} items.`);
    const sequence = ++next.sequence;
    await database.run(database.begin);
    for (let done = 0; done < order.items; done += BATCH) {
      const batch = samples.slice(done, Math.min(done + BATCH, order.items));
      await publish(batch, sequence, done);
    }
    await database.run('UPDATE project SET sequence = ? WHERE number = ?', [sequence, project]);
    await database.run('UPDATE installation SET sequence = ?', [sequence]);
    await database.run('COMMIT');
    return { perSecond: (order.items / (performance.now() - began)) * 1000 };
  }
  for (let done = 0; done < order.upserts; ) {
    await database.run(database.begin);
    for (let member = 0; member < order.group && done < order.upserts; member++, done++)
      await upsert(samples[done % samples.length]!);
    await database.run('UPDATE installation SET sequence = ?', [next.sequence]);
    await database.run('COMMIT');
  }
  return { perSecond: (order.upserts / (performance.now() - began)) * 1000 };
});
