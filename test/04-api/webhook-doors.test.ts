/** What webhooks are told, whatever door a change comes through (spec 6.3; the table of core/webhooks/README.md). */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { DoorWorld } from '../support/webhooks/door-world.ts';
import { DOORS } from '../support/webhooks/doors.ts';

describe('webhooks: what is told of a change', () => {
  let world: DoorWorld;
  before(async () => {
    world = await DoorWorld.open();
  });
  after(() => world.close());

  for (const { door, does, fires, run } of DOORS) {
    it(`${door}: ${does} → ${fires ?? 'nothing'}`, async () => {
      const listed = await run(world);
      const { items, taxonomies } = 'items' in listed ? listed : { items: listed, taxonomies: [] };
      const expected = fires === null ? [] : [{ event: fires, items: [...items].sort(), taxonomies }];
      expect(await world.told()).to.deep.equal(expected);
    });
  }

  it('is what the table in the README says', async () => {
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
      DOORS.map(({ door, does, fires, lists }) => [door, does, fires === null ? '–' : `\`${fires}\``, lists]),
    );
  });
});
