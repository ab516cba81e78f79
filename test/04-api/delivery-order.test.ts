import { expect } from 'chai';
import { PUBLISHED } from '../support/projects/harbour-project.ts';
import {
  codenames,
  type HarbourService,
  type Listing,
  startHarbour,
} from '../support/projects/harbour-service.ts';

type Row = readonly [why: string, order: string, items: readonly string[]];

const ROWS: readonly Row[] = [
  ['spec 4.1', 'system.codename[asc]', PUBLISHED],
  ['spec 4.1', 'system.codename[desc]', [...PUBLISHED].reverse()],
  ['spec 4.1', 'system.name[asc]', ['anchor', 'ferry', 'lighthouse', 'memo', 'pier', 'harbour', 'tide']],
  ['spec 4.1', 'system.name[desc]', ['tide', 'harbour', 'pier', 'memo', 'lighthouse', 'ferry', 'anchor']],
  [
    'ties by codename',
    'system.type[asc]',
    ['anchor', 'ferry', 'harbour', 'lighthouse', 'pier', 'tide', 'memo'],
  ],
  [
    'ties by codename',
    'system.type[desc]',
    ['memo', 'anchor', 'ferry', 'harbour', 'lighthouse', 'pier', 'tide'],
  ],
  ['ties by codename', 'system.language[desc]', PUBLISHED],
  ['spec 4.1', 'elements.title[asc]', ['pier', 'anchor', 'tide', 'ferry', 'lighthouse', 'memo', 'harbour']],
  ['spec 4.1', 'elements.title[desc]', ['harbour', 'lighthouse', 'memo', 'ferry', 'tide', 'anchor', 'pier']],
  ['any case', 'elements.title[DESC]', ['harbour', 'lighthouse', 'memo', 'ferry', 'tide', 'anchor', 'pier']],
  [
    'spec 4.1: as numbers',
    'elements.price[asc]',
    ['tide', 'lighthouse', 'anchor', 'ferry', 'harbour', 'memo', 'pier'],
  ],
  [
    'missing last',
    'elements.price[desc]',
    ['harbour', 'anchor', 'ferry', 'lighthouse', 'tide', 'memo', 'pier'],
  ],
  [
    'missing last',
    'elements.opened[asc]',
    ['lighthouse', 'tide', 'anchor', 'ferry', 'harbour', 'memo', 'pier'],
  ],
  [
    'missing last',
    'elements.opened[desc]',
    ['tide', 'lighthouse', 'anchor', 'ferry', 'harbour', 'memo', 'pier'],
  ],
  ['arrays have none', 'elements.topics[desc]', PUBLISHED],
  ['unknown element', 'elements.unknown[desc]', PUBLISHED],
];

describe('delivery: order', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  const list = async (query: string) => (await service.delivery.get<Listing>(`/items?${query}`)).body;

  for (const [why, order, expected] of ROWS) {
    it(`order=${order} (${why})`, async () => {
      expect(codenames(await list(`order=${order}`))).to.deep.equal(expected);
    });

    it(`order=${order}, page by page`, async () => {
      const found: string[] = [];
      for (let skip = 0; skip < expected.length; skip += 2) {
        found.push(...codenames(await list(`order=${order}&skip=${skip}&limit=2`)));
      }
      expect(found).to.deep.equal(expected);
    });
  }

  for (const attribute of ['id', 'last_modified'] as const) {
    it(`order=system.${attribute}[desc] sorts by it (spec 4.1)`, async () => {
      const { items } = await list(`order=system.${attribute}[desc]`);
      const values = items.map(({ system }) => system[attribute]);
      expect(values).to.deep.equal([...values].sort().reverse());
    });
  }

  it('orders what a filter left (spec 4.1)', async () => {
    const listing = await list('order=elements.price[desc]&elements.title[gt]=B');
    expect(codenames(listing)).to.deep.equal(['harbour', 'ferry', 'lighthouse', 'tide', 'memo']);
  });

  it('orders by the values of the language that was found', async () => {
    const listing = await list('language=de-AT&order=elements.title[asc]');
    expect(codenames(listing)).to.deep.equal([
      'pier',
      'anchor',
      'tide',
      'ferry',
      'lighthouse',
      'memo',
      'only_german',
      'harbour',
    ]);
  });
});
