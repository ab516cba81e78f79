/** Lists without a page, and the jobs that list items and compile them again, on both databases. */
import '../support/database/postgres-programs.ts';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createType } from '../../core/content/types.ts';
import { listAllContent } from '../../core/content-list/list-content.ts';
import { Recompiler } from '../../core/read-model/recompile.ts';
import { UnlistedObjects } from '../../core/read-model/unlisted-objects.ts';
import { listedNumber } from '../../core/storage/listed-rows.ts';
import { SOLE_DUTY } from '../../core/storage/owner.ts';
import type { Sql } from '../../core/storage/sql.ts';
import { STALE } from '../../core/storage/stale.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';
import { until } from '../support/until.ts';

const COUNT = 2500;

class PublicNext extends UnlistedObjects {
  override next(): Promise<number | undefined> {
    return super.next();
  }
}

for (const [database, open] of [
  ['SQLite', testDatabase],
  ['PostgreSQL', postgresDatabase],
] as const)
  describe(`lists in pieces, on ${database}`, function () {
    this.timeout(60_000);
    let bench: Workbench;
    before(async () => {
      bench = await openWorkbench(open);
      await bench.run((to) => createType(to, { name: 'Page', elements: [] }));
    });
    after(() => bench?.close());

    it('have all items by name, of which a statement returns few rows', async () => {
      await bench.run(async (view) => {
        const { tx, model } = view;
        const language = model.languages[0]!;
        const type = model.types[0]!.number;
        const items = Array.from({ length: COUNT }, (_, at) => at + 1);
        // Several have the same name.
        const nameOf = (item: number) => `name ${(item * 7919) % 1000}`;
        await tx.insert(
          'listed',
          ['number', 'item', 'language', 'type', 'state', 'name', 'changed'],
          items.map((item) => [
            listedNumber(item, language.number),
            item,
            language.number,
            type,
            1,
            nameOf(item),
            '2030',
          ]),
        );
        await tx.insert(
          'listed_count',
          ['language', 'author', 'type', 'state', 'count'],
          [[language.number, '', type, 1, COUNT]],
        );
        const returned: number[] = [];
        const counting: Sql = {
          all: async (text, parameters) => {
            const rows = await tx.all<never>(text, parameters);
            returned.push(rows.length);
            return rows;
          },
          get: (text, parameters) => tx.get(text, parameters),
          among: (column, values) => tx.among(column, values),
          matching: (query, of, within) => tx.matching(query, of, within),
        };
        const counted = { ...view, model, project: model.project, tx: counting };
        const all = await listAllContent(counted, { language }, COUNT);
        const byName = items.toSorted((one, other) =>
          nameOf(one) === nameOf(other) ? one - other : nameOf(one) < nameOf(other) ? -1 : 1,
        );
        expect(all).to.deep.equal({ items: byName, total: COUNT });
        expect(Math.max(...returned)).to.equal(3);
        expect(await listAllContent(counted, { language }, COUNT - 1)).to.deep.equal({
          items: [],
          total: COUNT,
        });
        await tx.run('DELETE FROM listed');
        await tx.run('DELETE FROM listed_count');
      });
    });

    it('has a recompilation of its items, of which a statement returns few rows', async () => {
      const { storage, sql } = bench;
      const pending = await bench.run(async ({ tx, model }) => {
        const [language, type] = [model.languages[0]!.number, model.types[0]!.number];
        const { number: project } = model.project;
        const columns =
          'number project item language type version visible compiled_at slug components layout body';
        await tx.insert(
          'document',
          columns.split(' '),
          Array.from({ length: COUNT }, (_, at) => [
            at + 1,
            project,
            at + 1,
            language,
            type,
            1,
            1,
            0,
            '',
            '',
            '{}',
            '{}',
          ]),
        );
        return [project, STALE.type, type, tx.sequence];
      });
      await storage.write((tx) => tx.insert('pending', ['project', 'kind', 'target', 'sequence'], [pending]));
      const returned: number[] = [];
      const counting = new Proxy(storage, {
        get(target, name) {
          if (name === 'reader')
            return () => ({
              sql: {
                get: (...statement: Parameters<Sql['get']>) => sql.get(...statement),
                async all(...statement: Parameters<Sql['all']>) {
                  const rows = await sql.all(...statement);
                  returned.push(rows.length);
                  return rows;
                },
              },
            });
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const failures: unknown[] = [];
      const recompiler = new Recompiler(
        counting,
        { newId: () => crypto.randomUUID() },
        { mediaType: 'service' },
        [],
        (error) => failures.push(error),
        SOLE_DUTY,
      );
      recompiler.start();
      await recompiler.idle();
      await recompiler.close();
      expect(failures).to.deep.equal([]);
      expect(returned).to.deep.equal([1, 3]);
      // The documents were of no items.
      expect(await sql.all('SELECT number FROM document')).to.deep.equal([]);
      expect(await sql.all('SELECT target FROM pending')).to.deep.equal([]);
    });

    it('are completed for other projects while the model of one cannot be loaded', async () => {
      const { storage, sql } = bench;
      const other = await bench.installation((to) => createProject(to, { name: 'Other' }));
      const ofProject = (id: string) =>
        sql.get<{ number: number }>('SELECT number FROM project WHERE id = ?', [id]);
      const numbers = [(await ofProject(bench.project.id))!.number, (await ofProject(other.id))!.number];
      await storage.write(async (tx) => {
        await tx.run(`UPDATE content_type SET elements = 'broken' WHERE project = ?`, [numbers[0]!]);
        await tx.insert(
          'unlisted',
          ['item', 'project'],
          numbers.map((project, at) => [100 + at, project]),
        );
      });
      const left = async () =>
        (await sql.all<{ project: number }>('SELECT project FROM unlisted')).map(({ project }) => project);
      const failures: string[] = [];
      const failed = (error: unknown) => failures.push((error as Error).message);
      const unlisted = new UnlistedObjects(storage, () => crypto.randomUUID(), failed, SOLE_DUTY, 20);
      unlisted.start();
      await unlisted.idle();
      expect(await left()).to.deep.equal([numbers[0]]);
      // Tried again, and reported once.
      for (let time = 0; time < 3; time++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        unlisted.wake();
        await unlisted.idle();
      }
      expect(failures).to.have.length(1);
      expect(failures[0]).to.include(bench.project.id).and.match(/JSON/);
      await storage.write((tx) =>
        tx.run(`UPDATE content_type SET elements = '[]' WHERE project = ?`, [numbers[0]!]),
      );
      await until(async () => (await left()).length === 0);
      await unlisted.close();
    });

    it('are not tried again once nothing is left to list', async () => {
      const { storage, sql } = bench;
      const found = await sql.get<{ number: number }>('SELECT number FROM project WHERE id = ?', [
        bench.project.id,
      ]);
      const project = found!.number;
      const change = (text: string) => storage.write((tx) => tx.run(text, [project]));
      await change(`UPDATE content_type SET elements = 'no JSON' WHERE project = ?`);
      await change('INSERT INTO unlisted (item, project) VALUES (1000000, ?)');
      const unlisted = new PublicNext(
        storage,
        () => crypto.randomUUID(),
        () => {},
        SOLE_DUTY,
        20,
      );
      unlisted.start();
      await unlisted.idle();
      expect(await unlisted.next()).to.be.a('number');
      await change('DELETE FROM unlisted WHERE project = ?');
      await until(async () => (await unlisted.next()) === undefined);
      await change(`UPDATE content_type SET elements = '[]' WHERE project = ?`);
      await unlisted.close();
    });
  });
