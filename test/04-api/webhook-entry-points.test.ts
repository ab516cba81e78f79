/** The notifications of every entry point (spec 6.3; the table of core/webhooks/README.md). */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { EntryPointProject } from '../support/webhooks/entry-point-project.ts';
import { ENTRY_POINTS } from '../support/webhooks/entry-points.ts';

describe('webhooks: notifications of a change', () => {
  let world: EntryPointProject;
  before(async () => {
    world = await EntryPointProject.open();
  });
  after(() => world.close());

  for (const { entryPoint, does, fires, run } of ENTRY_POINTS) {
    it(`${entryPoint}: ${does} → ${fires ?? 'nothing'}`, async () => {
      const listed = await run(world);
      const { items, taxonomies } = 'items' in listed ? listed : { items: listed, taxonomies: [] };
      const expected = fires === null ? [] : [{ event: fires, items: [...items].sort(), taxonomies }];
      expect(await world.notified()).to.deep.equal(expected);
    });
  }

  it('match the table in the README', async () => {
    const readme = await readFile('core/webhooks/README.md', 'utf8');
    const rows = readme
      .split('\n')
      .filter((line) => /^\| (v1|v2|admin|clock) \|/.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      );
    expect(rows).to.deep.equal(
      ENTRY_POINTS.map(({ entryPoint, does, fires, lists }) => [
        entryPoint,
        does,
        fires === null ? '–' : `\`${fires}\``,
        lists,
      ]),
    );
  });
});
