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

/** Section or reason, query, items with the language they came in. */
type Row = readonly [why: string, query: string, items: Readonly<Record<string, string>>];

function all(items: readonly string[], own: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(items.map((codename) => [codename, own[codename] ?? 'en-US']));
}

const ROWS: readonly Row[] = [
  ['the default', '', all(PUBLISHED)],
  ['one step', 'language=de-DE', all(GERMAN, { lighthouse: 'de-DE', only_german: 'de-DE' })],
  ['a chain', 'language=de-AT', all(GERMAN, { lighthouse: 'de-DE', only_german: 'de-DE', ferry: 'de-AT' })],
  ['unknown', 'language=xx', all(PUBLISHED)],
  ['case counts', 'language=DE-de', all(PUBLISHED)],
  ['empty', 'language=', all(PUBLISHED)],
  ['inactive', 'language=fr', all(PUBLISHED)],
  ['no fallback', 'language=de-AT&system.language=de-AT', { ferry: 'de-AT' }],
  ['part of a chain', 'language=de-AT&system.language=de-DE', { lighthouse: 'de-DE', only_german: 'de-DE' }],
  [
    'no fallback',
    'language=de-AT&system.language[in]=de-AT,de-DE',
    { ferry: 'de-AT', lighthouse: 'de-DE', only_german: 'de-DE' },
  ],
  [
    'no fallback',
    'language=de-AT&system.language[neq]=en-US',
    { ferry: 'de-AT', lighthouse: 'de-DE', only_german: 'de-DE' },
  ],
  ['filter on what was found', 'language=de-AT&elements.title=Fähre', { ferry: 'de-AT' }],
  ['what was found', 'language=de-AT&elements.title=Ferry', {}],
  ['what was found', 'language=de-DE&elements.title=Ferry', { ferry: 'en-US' }],
  ['what was found', 'language=de-DE&elements.title=F%C3%A4hre', {}],
];

describe('delivery: languages', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  for (const [why, query, expected] of ROWS) {
    it(`/items?${query} (${why})`, async () => {
      const { body } = await service.delivery.get<Listing>(`/items?${query}`);
      expect(
        Object.fromEntries(body.items.map(({ system }) => [system.codename, system.language])),
      ).to.deep.equal(expected);
      const counted = await service.delivery.get<Listing>(`/items?${query}&includeTotalCount&limit=1`);
      expect(counted.body.pagination.total_count).to.equal(body.items.length);
    });
  }

  it('resolves linked items in the requested language', async () => {
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

  it('is 404 as a single item where no language of the chain has it', async () => {
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

  it('lists the active languages', async () => {
    const { body } = await service.delivery.get<{
      languages: { system: { codename: string; name: string } }[];
    }>('/languages');
    const listed = body.languages.map(({ system }) => system.codename).sort();
    expect(listed).to.deep.equal(['de-AT', 'de-DE', 'en-US']);
  });
});
