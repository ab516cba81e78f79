import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createItem, createItems, deleteItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant, upsertVariants } from '../../core/content/variants.ts';
import { generate } from '../../core/generate/generate.ts';
import type { ElementInput, ItemInput } from '../../core/model/inputs.ts';
import { publishVariant, publishWritten } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { isPostgres, type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';

const LANGUAGE = { codename: 'default' };
const TYPE = { codename: 'note' };

interface Write {
  readonly input: ItemInput;
  readonly elements: readonly ElementInput[];
  readonly isPublished: boolean;
}

type Writing = (transaction: ProjectTransaction, writes: readonly Write[]) => Promise<void>;

async function oneByOne(transaction: ProjectTransaction, writes: readonly Write[]): Promise<void> {
  const ids: string[] = [];
  for (const { input } of writes) ids.push((await createItem(transaction, input)).id);
  for (const [index, { elements }] of writes.entries())
    await upsertVariant(transaction, { id: ids[index] as string }, LANGUAGE, { elements });
  for (const [index, { isPublished }] of writes.entries())
    if (isPublished) await publishVariant(transaction, { id: ids[index] as string }, LANGUAGE);
}

async function together(transaction: ProjectTransaction, writes: readonly Write[]): Promise<void> {
  const items = await createItems(
    transaction,
    writes.map(({ input }) => input),
  );
  const variants = await upsertVariants(
    transaction,
    LANGUAGE,
    items.map(({ id }, index) => ({ item: { id }, input: { elements: writes[index]?.elements ?? [] } })),
  );
  await publishWritten(
    transaction,
    variants.filter((_, index) => writes[index]?.isPublished),
  );
}

/** Few names, so that codenames clash; references to items that exist, follow, or never will. */
function randomWrites(random: Random, count: number): Write[] {
  return Array.from({ length: count }, (_, index) => {
    const related = random.some(
      Array.from({ length: count + 5 }, (_, other) => ({ external_id: `item-${other}` })),
      3,
    );
    const elements: ElementInput[] = [
      { element: { codename: 'title' }, value: random.pick(['a', 'b', '<p><br></p>', '']) },
      { element: { codename: 'related' }, value: related },
      { element: { codename: 'body' }, value: `<p>text ${random.int(0, 9)}</p>` },
    ];
    const input = { name: random.pick(['Same', 'Other', 'Gone', 'Third']), type: TYPE };
    return {
      input: random.chance(0.7) ? { ...input, external_id: `item-${index}` } : input,
      elements: random.chance(0.9) ? elements : [],
      isPublished: random.chance(0.7),
    };
  });
}

/** PostgreSQL gives numbers in blocks, of which many writes at once leave the rest. */
const NUMBERS = 'number item variant draft published version document target layout searched tags'.split(' ');
const isGiven = (name: string) => isPostgres() && NUMBERS.includes(name);

describe('many writes of one transaction', () => {
  let folder: string;
  const databases: TestDatabase[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-many-writes-'));
  });
  after(async () => {
    for (const database of databases) await database.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(name: string) {
    const database = await testDatabase();
    databases.push(database);
    let ids = 0;
    return openCore({
      dataDir: join(folder, name),
      databaseUrl: database.url,
      log: SILENT,
      isCommand: true,
      now: () => new Date('2026-01-01T00:00:00Z'),
      newId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
    });
  }

  /** All rows of all tables that they write. */
  async function rowsAfter(name: string, write: Writing, seed: number): Promise<Record<string, string[]>> {
    const core = await start(name);
    const { operations } = core;
    try {
      const { project } = await generate(operations, { items: 3 });
      await operations.inProject(project, null, async (transaction) => {
        await createType(transaction, {
          name: 'Note',
          elements: [
            { type: 'text', name: 'Title' },
            { type: 'modular_content', name: 'Related' },
            { type: 'rich_text', name: 'Body' },
          ],
        });
        await createItem(transaction, { name: 'Gone', type: TYPE, external_id: 'item-4' });
        await createItem(transaction, { name: 'Other', type: TYPE });
      });
      await operations.inProject(project, null, (transaction) =>
        deleteItem(transaction, { external_id: 'item-4' }),
      );
      await operations.inProject(project, null, (transaction) =>
        write(transaction, randomWrites(new Random(seed), 230)),
      );
      const found: Record<string, string[]> = {};
      const tables =
        'item variant version document uses entry resolved tally resolved_block pending change listed listed_count';
      for (const table of tables.split(' ')) {
        const rows = await operations.storage.sql.all(`SELECT * FROM ${table}`);
        found[table] = rows.map((row) =>
          JSON.stringify(row, (name, value) => (isGiven(name) ? undefined : value)),
        );
        found[table].sort();
      }
      return found;
    } finally {
      await core.close();
    }
  }

  const seed = testSeed();
  it(`leave the rows that as many single ones leave, seed ${seed}`, async () => {
    const single = await rowsAfter('single', oneByOne, seed);
    const many = await rowsAfter('many', together, seed);
    for (const [table, rows] of Object.entries(single)) expect(many[table], table).to.deep.equal(rows);
    expect(many['document']).to.have.length.above(50);
  });

  it('compile long documents too, which several statements write', async () => {
    const core = await start('long');
    try {
      const { project } = await generate(core.operations, { items: 1 });
      const writes = Array.from({ length: 50 }, (_, index) => ({
        input: { name: `Long ${index}`, codename: `long_${index}`, type: { codename: 'article' } },
        elements: [
          { element: { codename: 'title' }, value: `Title ${index}` },
          { element: { codename: 'body' }, value: `<p>${`${index} `.repeat(30_000)}end</p>` },
        ],
        isPublished: true,
      }));
      await core.operations.inProject(project, null, (transaction) => together(transaction, writes));
      const rows = await core.operations.storage.sql.all<{ codename: string; body: string; keys: number }>(
        `SELECT r.codename AS codename, d.body AS body,
           (SELECT count(*) FROM entry e WHERE e.document = d.number) AS keys
         FROM resolved r JOIN document d ON d.number = r.document WHERE r.codename LIKE 'long%'`,
      );
      // Both channels show the one document.
      expect(rows).to.have.length(2 * writes.length);
      for (const { codename, body, keys } of rows) {
        const index = codename.slice('long_'.length);
        expect(body).to.contain(`<p>${`${index} `.repeat(30_000)}end</p>`);
        expect(keys).to.be.above(5);
      }
    } finally {
      await core.close();
    }
  });

  it('are refused as a whole where one of them is not valid', async () => {
    const core = await start('refused');
    try {
      const { project } = await generate(core.operations, { items: 3 });
      const type = { codename: 'article' };
      for (const [inputs, message] of [
        [
          [
            { name: 'Fine', type },
            { name: '', type },
          ],
          'not valid',
        ],
        [
          [
            { name: 'Fine', type, external_id: 'twice' },
            { name: 'Fine', type, external_id: 'twice' },
          ],
          'not valid',
        ],
      ] as const) {
        const error: unknown = await core.operations
          .inProject(project, null, (transaction) => createItems(transaction, inputs))
          .catch((thrown: unknown) => thrown);
        expect((error as Error).message).to.contain(message);
      }
      const write = { item: { external_id: 'generated-1' }, input: { elements: [] } };
      const error: unknown = await core.operations
        .inProject(project, null, (transaction) => upsertVariants(transaction, LANGUAGE, [write, write]))
        .catch((thrown: unknown) => thrown);
      expect((error as Error).message).to.contain('the same item');
      const rows = await core.operations.storage.sql.all(`SELECT id FROM item WHERE name = 'Fine'`);
      expect(rows).to.deep.equal([]);
    } finally {
      await core.close();
    }
  });
});
