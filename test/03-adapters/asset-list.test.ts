/** The list of assets against the tables that it is made from, after random changes, on each database. */

import { expect } from 'chai';
import { createAsset, deleteAsset, restoreAsset, updateAsset } from '../../core/assets/assets.ts';
import { type Folder, replaceFolders } from '../../core/assets/folders.ts';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { deleteVariant, upsertVariant } from '../../core/content/variants.ts';
import { ASSET_ORDERS, type AssetFilter, type AssetPage } from '../../core/content-list/asset-filter.ts';
import { countUnlistedAssets } from '../../core/content-list/count-content.ts';
import { listAssets } from '../../core/content-list/list-assets.ts';
import { ASSET_KINDS, assetKindOf } from '../../core/model/asset-kinds.ts';
import { folded, foldedWords } from '../../core/model/folded-words.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { UnlistedObjects } from '../../core/read-model/unlisted-objects.ts';
import { SOLE_DUTY } from '../../core/storage/owner.ts';
import { USE } from '../../core/storage/stale.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { isLongForm } from '../support/long-form.ts';
import { storeFile } from '../support/projects/store-file.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const PROJECTS = isLongForm ? 20 : 1;
const CHANGES = 90;
const LISTS = isLongForm ? 120 : 20;
const WORDS = ['river', 'Flüsse', 'bridge', 'bridges', 'old', 'Straße', 'IMG_0512', 'x-ray', '猫'];
const FILES = [
  ['png', 'image/png'],
  ['mp4', 'video/mp4'],
  ['pdf', 'application/pdf'],
  ['bin', 'application/octet-stream'],
] as const;
const LANGUAGES = ['en', 'de'] as const;
const PAGES = { codename: 'page' };

interface Expected {
  readonly number: number;
  readonly title: string | null;
  readonly file: string;
  readonly type: string;
  readonly size: number;
  readonly folder: string | null;
  readonly changed: string;
  readonly descriptions: string;
  readonly uses: number;
}

for (const [database, open] of [
  ['SQLite', testDatabase],
  ['PostgreSQL', postgresDatabase],
] as const)
  describe(`the list of assets, against its tables, on ${database}`, function () {
    this.timeout(120_000);
    for (const seed of testSeeds(
      PROJECTS,
      Array.from({ length: PROJECTS }, (_, index) => 700 + index),
    ))
      it(`answers what they say, seed ${seed}`, async () => {
        const random = new Random(seed);
        const bench = await openWorkbench(open);
        try {
          await bench.run(model);
          for (let change = 0; change < CHANGES; change++)
            await bench.run((transaction) => changeSomething(transaction, bench, random)).catch(refused);
          expect(await bench.run(countUnlistedAssets)).to.equal(0);
          await compareLists(bench, random);
          // As after a restore: the rows are made again by the job.
          await bench.storage.write(async (tx) => {
            await tx.run('DELETE FROM listed_asset');
            await tx.run('UPDATE asset SET last_modified = last_modified');
          });
          const failed = (error: unknown) => {
            throw error;
          };
          const unlisted = new UnlistedObjects(bench.storage, () => crypto.randomUUID(), failed, SOLE_DUTY);
          unlisted.start();
          await unlisted.idle();
          await unlisted.close();
          await compareLists(bench, random);
        } finally {
          await bench.close();
        }
      });
  });

async function model(transaction: ProjectTransaction): Promise<void> {
  await createLanguage(transaction, { name: 'German', codename: 'de' });
  await replaceFolders(transaction, [{ name: 'Top', folders: [{ name: 'Below' }] }, { name: 'Other' }]);
  await createType(transaction, {
    name: 'Page',
    elements: [
      { type: 'asset', name: 'Files' },
      { type: 'rich_text', name: 'Body' },
    ],
  });
}

/** Rules refuse some changes, such as to delete an asset in use. */
function refused(error: unknown): void {
  if (!(error as { errorName?: string }).errorName) throw error;
}

async function changeSomething(
  transaction: ProjectTransaction,
  { blobs }: Workbench,
  random: Random,
): Promise<void> {
  const text = () => Array.from({ length: 1 + random.int(0, 2) }, () => random.pick(WORDS)).join(' ');
  const upload = async () => {
    const [extension, type] = random.pick(FILES);
    const content = Buffer.from('x'.repeat(random.int(0, 9)));
    return storeFile(transaction, blobs, { name: `${text()}.${extension}`, type, content });
  };
  const folders = await transaction.tx.get<{ tree: string }>(
    'SELECT asset_folders AS tree FROM project WHERE number = ?',
    [transaction.project.number],
  );
  const tree = JSON.parse(folders?.tree ?? '[]') as Folder[];
  const folder = () =>
    random.pick([null, ...tree.flatMap((one) => [one, ...one.folders]).map(({ id }) => ({ id }))]);
  const descriptions = () => [
    { language: { codename: random.pick(LANGUAGES) }, description: random.pick([null, text()]) },
  ];
  const assets = await transaction.tx.all<{ id: string; archived: string | null }>(
    'SELECT id, archived FROM asset ORDER BY number',
  );
  const items = await transaction.tx.all<{ id: string }>('SELECT id FROM item ORDER BY number');
  if (assets.length < 12 || random.int(0, 5) === 0) {
    const { id: file } = await upload();
    await createAsset(transaction, {
      file,
      title: random.pick([null, text()]),
      descriptions: descriptions(),
    });
    return;
  }
  const asset = random.pick(assets);
  if (asset.archived !== null) {
    await restoreAsset(transaction, asset.id);
    return;
  }
  const item = { id: items.length > 0 ? random.pick(items).id : '' };
  const language = { codename: random.pick(LANGUAGES) };
  const acts = [
    () => updateAsset(transaction, asset, { title: random.pick([null, text()]) }),
    () => updateAsset(transaction, asset, { descriptions: descriptions() }),
    async () => updateAsset(transaction, asset, { file: (await upload()).id }),
    () => updateAsset(transaction, asset, { folder: folder() }),
    () => deleteAsset(transaction, asset),
    () => createItem(transaction, { name: text(), type: PAGES }),
    () =>
      upsertVariant(transaction, item, language, {
        elements: [
          { element: { codename: 'files' }, value: random.int(0, 2) === 0 ? [] : [{ id: asset.id }] },
        ],
      }),
    () => publishVariant(transaction, item, language),
    () => newVersion(transaction, item, language),
    () => deleteVariant(transaction, item, language),
    () => replaceFolders(transaction, tree.length > 1 ? tree.slice(0, 1) : [...tree, { name: 'New' }]),
  ];
  await random.pick(acts)();
}

async function compareLists(bench: Workbench, random: Random): Promise<void> {
  const rows = await bench.sql.all<Expected & Record<string, string | number | null>>(
    `SELECT a.number AS number, a.title AS title, f.name AS file, f.type AS type, f.size AS size, a.folder AS folder,
       a.last_modified AS changed, a.descriptions AS descriptions,
       (SELECT count(*) FROM uses u WHERE u.kind = ${USE.asset} AND u.target = a.number) AS uses
     FROM asset a JOIN file f ON f.id = a.file WHERE a.archived IS NULL ORDER BY a.number`,
  );
  expect(rows.length).to.be.greaterThan(5);
  await bench.run(async (view) => {
    const { id, number } = (await view.tx.get<{ id: string; number: number }>(
      'SELECT id, number FROM asset WHERE archived IS NULL AND file IS NOT NULL',
    ))!;
    const page = { order: 'name', descending: false, offset: 0, limit: 2 } as const;
    for (const text of [id, ` ${id.toUpperCase()} `])
      expect(await listAssets(view, { text }, page)).to.deep.equal({ assets: [number], total: 1 });
    const folders = [null, ...new Set(rows.map(({ folder }) => folder))];
    for (let list = 0; list < LISTS; list++) {
      const wanted = random.pick(WORDS);
      const filter: AssetFilter = {
        ...(random.int(0, 1) === 0 && {
          text: random.pick([
            wanted,
            wanted.slice(0, 3),
            wanted.slice(1),
            `${wanted} ${random.pick(WORDS)}`,
            '_',
          ]),
        }),
        ...(random.int(0, 3) === 0 && { kinds: [random.pick(ASSET_KINDS), 'image'] }),
        ...(random.int(0, 3) === 0 && { folders: [random.pick(folders)] }),
        ...(random.int(0, 3) === 0 && { isUnused: true }),
        ...(random.int(0, 3) === 0 && { undescribed: random.pick(view.model.languages) }),
      };
      const page: AssetPage = {
        order: random.pick(ASSET_ORDERS),
        descending: random.int(0, 1) === 0,
        offset: random.int(0, 8),
        limit: random.int(1, 6),
      };
      const matching = rows
        .filter((row) => matches(row, filter))
        .sort((one, other) => compare(one, other, page));
      const { assets, total } = await listAssets(view, filter, page);
      const context = JSON.stringify({ ...filter, undescribed: filter.undescribed?.codename, ...page });
      expect(total, context).to.equal(matching.length);
      expect(assets, context).to.deep.equal(
        matching.slice(page.offset, page.offset + page.limit).map(({ number }) => number),
      );
    }
  });
}

function matches(row: Expected, { text, kinds, folders, isUnused, undescribed }: AssetFilter): boolean {
  const descriptions = JSON.parse(row.descriptions) as Readonly<Record<string, string>>;
  if (kinds && !kinds.includes(assetKindOf(row.type))) return false;
  if (folders && !folders.includes(row.folder)) return false;
  if (isUnused && row.uses > 0) return false;
  if (undescribed && descriptions[undescribed.id]) return false;
  if (text === undefined) return true;
  const names = `${row.title ?? ''} ${row.file}`;
  const queried = foldedWords(text);
  if (queried.length === 0) return names.includes(text);
  const nameWords = foldedWords(names);
  const words = [...nameWords, ...foldedWords(Object.values(descriptions).join(' '))];
  const ends = nameWords.flatMap((word) =>
    Array.from({ length: Math.max(0, word.length - 3) }, (_, at) => word.slice(at + 1)),
  );
  return queried.every((word, at) =>
    [...words, ...ends].some((own) =>
      at === queried.length - 1 && word.length >= 3 ? own.startsWith(word) : own === word,
    ),
  );
}

function compare(one: Expected, other: Expected, { order, descending }: AssetPage): number {
  const keys = (row: Expected) => {
    if (order === 'name') return [folded(row.title ?? row.file), row.number] as const;
    if (order === 'changed') return [row.changed, row.number] as const;
    return [order === 'size' ? row.size : row.number, row.number] as const;
  };
  const [[key, number], [otherKey, otherNumber]] = [keys(one), keys(other)];
  const difference = key === otherKey ? number - otherNumber : key < otherKey ? -1 : 1;
  return descending ? -difference : difference;
}
