/** The notifications of every entry point (spec 6.3; the table of core/webhooks/README.md). */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { EVENT_PAIRS } from '../../core/webhooks/event-kinds.ts';
import { EntryPointProject } from '../support/webhooks/entry-point-project.ts';
import { ENTRY_POINTS } from '../support/webhooks/entry-points.ts';

/** The specification names the first ones, but no change causes them; the last two have tests of their own. */
const WITHOUT_ENTRY_POINT = [
  'content_item restore',
  'content_item publish',
  'content_item unpublish',
  'content_item_variant restore',
  'content_item_variant change_workflow_step',
  'webhook test',
];

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

  it('cover every pair of type and operation that is sent', () => {
    const fired = new Set(ENTRY_POINTS.flatMap(({ fires }) => fires ?? []));
    const missing = EVENT_PAIRS.map((pair) => pair.join(' ')).filter((pair) => !fired.has(pair));
    expect(missing).to.deep.equal(WITHOUT_ENTRY_POINT);
  });

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
