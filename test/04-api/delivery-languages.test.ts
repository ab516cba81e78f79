import { expect } from 'chai';
import { PUBLISHED } from '../support/projects/harbour-project.ts';
import {
  codenames,
  type HarbourService,
  type Listing,
  type Single,
  startHarbour,
} from '../support/projects/harbour-service.ts';

const GERMAN = ['anchor', 'ferry', 'harbour', 'lighthouse', 'memo', 'only_german', 'pier', 'tide'];

/** Section, query, items with the language they came in. */
type Row = readonly [section: string, query: string, items: Readonly<Record<string, string>>];

function all(items: readonly string[], own: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(items.map((codename) => [codename, own[codename] ?? 'en-US']));
}

const ROWS: readonly Row[] = [
  ['facts 2.10: the default', '', all(PUBLISHED)],
  ['facts 2.10: one step', 'language=de-DE', all(GERMAN, { lighthouse: 'de-DE', only_german: 'de-DE' })],
  [
    'facts 2.10: a chain',
    'language=de-AT',
    all(GERMAN, { lighthouse: 'de-DE', only_german: 'de-DE', ferry: 'de-AT' }),
  ],
  ['facts 2.10: unknown', 'language=xx', all(PUBLISHED)],
  ['facts 2.10: case counts', 'language=DE-de', all(PUBLISHED)],
  ['facts 2.10: empty', 'language=', all(PUBLISHED)],
  ['facts 2.10: inactive', 'language=fr', all(PUBLISHED)],
  ['facts 2.3: no fallback', 'language=de-AT&system.language=de-AT', { ferry: 'de-AT' }],
  [
    'facts 2.3: part of a chain',
    'language=de-AT&system.language=de-DE',
    { lighthouse: 'de-DE', only_german: 'de-DE' },
  ],
  [
    'facts 2.3',
    'language=de-AT&system.language[in]=de-AT,de-DE',
    { ferry: 'de-AT', lighthouse: 'de-DE', only_german: 'de-DE' },
  ],
  [
    'facts 2.3',
    'language=de-AT&system.language[neq]=en-US',
    { ferry: 'de-AT', lighthouse: 'de-DE', only_german: 'de-DE' },
  ],
  ['facts 2.10: filter on what was found', 'language=de-AT&elements.title=Fähre', { ferry: 'de-AT' }],
  ['facts 2.10', 'language=de-AT&elements.title=Ferry', {}],
  ['facts 2.10', 'language=de-DE&elements.title=Ferry', { ferry: 'en-US' }],
  ['facts 2.10', 'language=de-DE&elements.title=F%C3%A4hre', {}],
];

describe('delivery: languages', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  for (const [section, query, expected] of ROWS) {
    it(`/items?${query} (${section})`, async () => {
      const { body } = await service.delivery.get<Listing>(`/items?${query}`);
      expect(
        Object.fromEntries(body.items.map(({ system }) => [system.codename, system.language])),
      ).to.deep.equal(expected);
      const counted = await service.delivery.get<Listing>(`/items?${query}&includeTotalCount&limit=1`);
      expect(counted.body.pagination.total_count).to.equal(body.items.length);
    });
  }

  it('resolves linked items in the requested language (facts 2.10)', async () => {
    const { body } = await service.delivery.get<Single>('/items/harbour?language=de-AT&depth=2');
    const languages = Object.values(body.modular_content).map(({ system }) => [
      system.codename,
      system.language,
    ]);
    expect(Object.fromEntries(languages)).to.deep.equal({ ferry: 'de-AT' });
    const german = await service.delivery.get<Single>('/items/harbour?language=de-DE&depth=2');
    expect(german.body.modular_content['lighthouse']!.system.language).to.equal('de-DE');
    expect(german.body.modular_content['ferry']!.system.language).to.equal('en-US');
  });

  it('is 404 as a single item where no language of the chain has it (facts 2.10)', async () => {
    const missing = await service.delivery.get('/items/only_german');
    expect([missing.status, missing.body['error_code']]).to.deep.equal([404, 100]);
    const { status, body } = await service.delivery.get<Single>('/items/only_german?language=de-AT');
    expect([status, body.item.system.language]).to.deep.equal([200, 'de-DE']);
  });

  it('shows the description of an asset in the language of the item (spec 2.2)', async () => {
    const { body } = await service.delivery.get<Single>('/items/lighthouse?language=de-AT');
    const [photo] = body.item.elements['photos']!.value as { description: string }[];
    expect(photo!.description).to.equal('Das alte Licht');
    expect(codenames({ items: [body.item] })).to.deep.equal(['lighthouse']);
  });

  it('lists the active languages (contract 4)', async () => {
    const { body } = await service.delivery.get<{
      languages: { system: { codename: string; name: string } }[];
    }>('/languages');
    const listed = body.languages.map(({ system }) => system.codename).sort();
    expect(listed).to.deep.equal(['de-AT', 'de-DE', 'en-US']);
  });
});
