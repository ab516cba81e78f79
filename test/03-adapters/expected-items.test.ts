/** Items that content refers to by external id before they exist, on both databases. */
import '../support/database/postgres-programs.ts';
import { expect } from 'chai';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const LANGUAGE = { codename: 'en' };
const TYPE = { codename: 'page' };

for (const [database, open] of [
  ['SQLite', testDatabase],
  ['PostgreSQL', postgresDatabase],
] as const)
  describe(`expected items, on ${database}`, () => {
    let bench: Workbench;
    before(async () => {
      bench = await openWorkbench(open);
      await bench.run(async (to) => {
        await createType(to, { name: 'Page', elements: [{ type: 'modular_content', name: 'Related' }] });
        await createItem(to, { name: 'Linking', type: TYPE, external_id: 'linking' });
      });
    });
    after(() => bench?.close());

    const link = (to: ProjectTransaction, names: readonly string[]) =>
      upsertVariant(to, { external_id: 'linking' }, LANGUAGE, {
        elements: [{ element: { codename: 'related' }, value: names.map((name) => ({ external_id: name })) }],
      });
    const rows = (text: string) => bench.sql.all<Record<string, string | number | null>>(text);

    it('are not marked as missing in lists until they are created', async () => {
      await bench.run((to) => link(to, ['one', 'two', 'three']));
      expect(await rows('SELECT id FROM item WHERE type IS NULL')).to.have.length(3);
      expect(await rows('SELECT item FROM unlisted')).to.deep.equal([]);
      // As a core does that does not know lists.
      await bench.storage.write((tx) =>
        tx.run(`UPDATE item SET type = (SELECT number FROM content_type WHERE codename = 'page'), name = 'One',
          codename = 'one' WHERE external_id = 'one'`),
      );
      expect(await rows('SELECT item FROM unlisted')).to.have.length(1);
      await bench.storage.write((tx) => tx.run('DELETE FROM unlisted'));
    });

    it('are shown by documents of the transaction that creates them after they were referred to', async () => {
      await bench.run(async (to) => {
        await link(to, ['four', 'five']);
        await createItem(to, { name: 'Five', type: TYPE, external_id: 'five' });
      });
      const [document] = await rows(
        `SELECT d.body AS body FROM document d JOIN item i ON i.number = d.item WHERE i.external_id = 'linking'`,
      );
      const { elements } = JSON.parse(String(document?.['body']));
      expect(elements.related.value).to.deep.equal(['five']);
      const uses = await rows(
        `SELECT i.external_id AS name FROM uses u JOIN item i ON i.number = u.target ORDER BY i.external_id`,
      );
      expect(uses.map(({ name }) => name)).to.deep.equal(['five', 'four']);
    });

    it('that were looked up are shown under the codename that they have at the end of the transaction', async () => {
      await bench.run((to) => createItem(to, { name: 'Former', type: TYPE, external_id: 'six' }));
      await bench.run(async (to) => {
        await link(to, ['six', 'one']);
        await updateItem(to, { external_id: 'six' }, { name: 'Latter', codename: 'latter' });
      });
      const [document] = await rows(
        `SELECT d.body AS body FROM document d JOIN item i ON i.number = d.item WHERE i.external_id = 'linking'`,
      );
      expect(JSON.parse(String(document?.['body'])).elements.related.value).to.deep.equal(['latter', 'one']);
    });
  });
