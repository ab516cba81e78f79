/** Filters find assets by file name: the index rows of items must have the current one. */
import { expect } from 'chai';
import { createAsset, updateAsset, upsertAsset } from '../../core/assets/assets.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { slotOf } from '../../core/read-model/index-entries.ts';
import { EMPTY_KEY, textKey } from '../../core/storage/index-key.ts';
import { storeFile } from '../support/projects/store-file.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const PHOTO = { codename: 'photo' };
const ENGLISH = { codename: 'en' };

describe('index rows of asset elements', () => {
  let bench: Workbench;

  before(async () => {
    bench = await openWorkbench();
    await bench.run((transaction) =>
      createType(transaction, {
        name: 'Photo',
        elements: [
          { type: 'asset', name: 'Files' },
          { type: 'rich_text', name: 'Body' },
        ],
      }),
    );
  });
  after(() => bench.close());

  const upload = (name: string) =>
    bench.run((transaction) =>
      storeFile(transaction, bench.blobs, { name, type: 'text/plain', content: Buffer.from(name) }),
    );

  const photos = (count: number, asset: { readonly id?: string; readonly external_id?: string }) =>
    bench.run(async (transaction) => {
      for (let index = 0; index < count; index++) {
        const { id } = await createItem(transaction, { name: `Photo ${index}`, type: PHOTO });
        await upsertVariant(transaction, { id }, ENGLISH, {
          elements: [{ element: { codename: 'files' }, value: [asset] }],
        });
      }
    });

  /** The keys of all items, by the number of items. */
  async function keys(): Promise<Record<string, number>> {
    const slot = await bench.run(async ({ model }) => {
      const { field } = model.typeByCodename.get('photo')!.fieldByCodename.get('files')!;
      return slotOf(field, model.defaultLanguage);
    });
    const rows = await bench.sql.all<{ key: string; count: number }>(
      'SELECT key, count(DISTINCT item) AS count FROM entry WHERE slot = ? GROUP BY key',
      [slot],
    );
    return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
  }

  it('have the name of a replaced file in the same commit', async () => {
    const [first, second] = [await upload('first.txt'), await upload('second.txt')];
    const asset = await bench.run((transaction) => createAsset(transaction, { file: first.id }));
    await photos(3, { id: asset.id });
    expect(await keys()).to.deep.equal({ [textKey('first.txt')]: 3 });
    await bench.run((transaction) => updateAsset(transaction, { id: asset.id }, { file: second.id }));
    expect(await keys()).to.deep.equal({ [textKey('second.txt')]: 3 });
  });

  it('have the name of an asset that is created after its items', async () => {
    await photos(2, { external_id: 'later' });
    expect(await keys()).to.deep.equal({ [textKey('second.txt')]: 3, [EMPTY_KEY]: 2 });
    const { id: file } = await upload('later.txt');
    await bench.run((transaction) => upsertAsset(transaction, 'later', { file }));
    expect(await keys()).to.deep.equal({ [textKey('second.txt')]: 3, [textKey('later.txt')]: 2 });
  });

  it('are left to the recompile job for more than 200 items', async () => {
    const [many, other] = [await upload('many.txt'), await upload('other.txt')];
    const asset = await bench.run((transaction) => createAsset(transaction, { file: many.id }));
    await photos(201, { id: asset.id });
    await bench.run((transaction) => updateAsset(transaction, { id: asset.id }, { file: other.id }));
    expect(await keys()).to.include({ [textKey('many.txt')]: 201 });
    const pending = await bench.sql.all('SELECT target FROM pending WHERE target = ?', [asset.number]);
    expect(pending.length).to.equal(1);
  });
});
