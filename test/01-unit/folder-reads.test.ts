import { expect } from 'chai';
import { replaceFolders } from '../../core/assets/folders.ts';
import { applyAll, readOperations } from '../../core/management/v2/patch.ts';
import { FolderDraft } from '../../core/management/v2/patch-folders.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const FOLDERS = 20;

describe('folders that are removed where they are empty', () => {
  let bench: Workbench;
  before(async () => {
    bench = await openWorkbench();
  });
  after(() => bench.close());

  it('are looked up in the assets once for all operations', async () => {
    const texts: string[] = [];
    const left = await bench.run(async (transaction) => {
      const names = Array.from({ length: FOLDERS }, (_, at) => ({ name: `F ${at}`, external_id: `f${at}` }));
      const draft = new FolderDraft((await replaceFolders(transaction, names)).folders);
      const { tx } = transaction;
      for (const name of ['all', 'get'] as const) {
        const read = tx[name].bind(tx) as (text: string, parameters: []) => Promise<never>;
        Object.assign(tx, {
          [name]: (text: string, parameters: []) => {
            texts.push(text);
            return read(text, parameters);
          },
        });
      }
      const operations = names.map(({ external_id }) => ({
        op: 'remove',
        reference: { external_id },
        if_empty: true,
      }));
      await applyAll(readOperations(operations), (operation) => draft.apply(transaction, operation));
      return draft.folders;
    });
    expect(left).to.deep.equal([]);
    expect(texts.filter((text) => text.includes('FROM asset'))).to.have.length(1);
  });
});
