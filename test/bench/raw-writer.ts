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
      /** Each writes a version; else it publishes the one that is there. */
      readonly versions?: boolean;
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

async function upsert(sample: Sample, isNew: boolean): Promise<void> {
  const version = isNew ? ++next.version : (sample.version['number'] as number);
  const number = ++next.document;
  const sequence = ++next.sequence;
  const old = sample.document['number'];
  if (isNew) {
    await database.run('UPDATE variant SET draft = ?, last_modified = ? WHERE number = ?', [
      version,
      new Date().toISOString(),
      sample.variant,
    ]);
    await database.insert('version', [{ ...sample.version, number: version, sequence }]);
  } else
    await database.run('UPDATE variant SET published = ?, draft = NULL, was_published = 1 WHERE number = ?', [
      version,
      sample.variant,
    ]);
  await database.run('DELETE FROM entry WHERE document = ?', [old]);
  await database.run('DELETE FROM uses WHERE document = ?', [old]);
  await database.run('DELETE FROM document WHERE number = ?', [old]);
  for (const { view } of sample.resolved)
    await database.run('DELETE FROM resolved WHERE item = ? AND view = ?', [sample.document['item'], view]);
  sample.document = { ...sample.document, number, version, compiled_at: sequence };
  const of = (rows: readonly Row[]) => rows.map((row) => ({ ...row, document: number }));
  sample.entries = of(sample.entries);
  sample.uses = of(sample.uses);
  sample.resolved = of(sample.resolved);
  await database.insert('document', [sample.document]);
  await database.insert('entry', sample.entries);
  await database.insert('uses', sample.uses);
  await database.insert('resolved', sample.resolved);
  // Of one call that publishes many, there is one update.
  if (isNew) await database.run('UPDATE project SET sequence = ? WHERE number = ?', [sequence, project]);
  await database.insert('change', [{ ...change, sequence, part: 0 }]);
}

answerParent(async (order: RawOrder): Promise<RawReply> => {
  if (order.do === 'open') {
    await open(order);
    return { perSecond: 0 };
  }
  const began = performance.now();
  for (let done = 0; done < order.upserts; ) {
    await database.run(database.begin);
    for (let member = 0; member < order.group && done < order.upserts; member++, done++)
      await upsert(samples[done % samples.length]!, order.versions !== false);
    await database.run('UPDATE installation SET sequence = ?', [next.sequence]);
    await database.run('COMMIT');
  }
  return { perSecond: (order.upserts / (performance.now() - began)) * 1000 };
});
