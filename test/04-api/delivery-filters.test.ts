import { expect } from 'chai';
import {
  codenames,
  type HarbourService,
  type Listing,
  type Single,
  startHarbour,
} from '../support/projects/harbour-service.ts';
import { manageClient, managementKey } from '../support/projects/manage-service.ts';

/** Section or reason, query as it is sent, expected items in order. */
type Row = readonly [why: string, query: string, items: readonly string[]];

const ARTICLES = ['anchor', 'ferry', 'harbour', 'lighthouse', 'pier', 'tide'];

const SYSTEM: readonly Row[] = [
  ['spec 4.1', 'system.codename=ferry', ['ferry']],
  ['spec 4.1', 'system.codename=Ferry', []],
  ['spec 4.1', 'system.name=The harbour', ['harbour']],
  ['spec 4.1', 'system.name=the harbour', []],
  ['spec 4.1', 'system.type=note', ['memo']],
  ['spec 4.1', 'system.type[in]=note,none', ['memo']],
  ['added operator', 'system.type[neq]=article', ['memo']],
  ['added operator', 'system.type[nin]=note,none', ARTICLES],
  ['added operator', 'system.type[eq]=note', ['memo']],
  ['spec 4.1', 'system.codename[gt]=memo', ['pier', 'tide']],
  ['spec 4.1', 'system.codename[gte]=memo', ['memo', 'pier', 'tide']],
  ['spec 4.1', 'system.codename[lt]=ferry', ['anchor']],
  ['spec 4.1', 'system.codename[range]=ferry,harbour', ['ferry', 'harbour']],
  ['spec 4.1', 'system.sitemap_locations[contains]=shop', ['ferry', 'lighthouse']],
  ['spec 4.1', 'system.sitemap_locations[any]=home,news', ['harbour', 'lighthouse']],
  ['spec 4.1', 'system.sitemap_locations[all]=news,shop', ['lighthouse']],
  [
    'spec 4.1',
    'system.sitemap_locations[contains]=shop&system.sitemap_locations[contains]=news',
    ['lighthouse'],
  ],
  ['spec 4.1', 'system.sitemap_locations=shop', []],
  ['added operator', 'system.sitemap_locations[neq]=shop', []],
  ['added operator', 'system.sitemap_locations[empty]', ['anchor', 'memo', 'pier', 'tide']],
  ['added operator', 'system.sitemap_locations[nempty]', ['ferry', 'harbour', 'lighthouse']],
  [
    'dates as text',
    'system.last_modified[gt]=2000',
    ['anchor', 'ferry', 'harbour', 'lighthouse', 'memo', 'pier', 'tide'],
  ],
  ['dates as text', 'system.last_modified[lt]=2000-05-05T10:30:00', []],
  [
    'dates as text',
    'system.last_modified[range]=2000-05-09T09:00:00.000000Z,2999',
    [...ARTICLES.slice(0, 4), 'memo', 'pier', 'tide'],
  ],
  ['language found', 'system.language=en-US&system.type=note', ['memo']],
  ['language found', 'system.language=de-DE', []],
  ['matches nothing', 'system.unknown=x', []],
  ['matches nothing', 'system.unknown[neq]=x', []],
];

const TEXT: readonly Row[] = [
  ['spec 4.1', 'elements.title=Lighthouse', ['lighthouse', 'memo']],
  ['case counts', 'elements.title=lighthouse', []],
  ['spec 4.1', 'elements.title=Lighthouse&system.type=note', ['memo']],
  ['spec 4.1', 'elements.title[in]=Ferry,harbour', ['ferry', 'harbour']],
  ['split at commas', 'elements.title[in]=Ebb, flow %26 100%25 %2B[x]', []],
  ['decoded', 'elements.title=Ebb, flow %26 100%25 %2B[x]', ['tide']],
  ['spec 4.1', 'elements.title[lt]=F', ['anchor', 'pier', 'tide']],
  ['capitals first', 'elements.title[gt]=a', ['harbour']],
  ['added operator', 'elements.title[neq]=Lighthouse', ['anchor', 'ferry', 'harbour', 'pier', 'tide']],
  ['added operator', 'elements.title[nin]=Lighthouse,Ferry,', ['anchor', 'harbour', 'tide']],
  ['added operator', 'elements.title[empty]', ['pier']],
  ['added operator', 'elements.title[nempty]=', ['anchor', 'ferry', 'harbour', 'lighthouse', 'memo', 'tide']],
  ['spec 4.1', 'elements.title=', ['pier']],
  ['spec 4.1', 'elements.title[contains]=Lighthouse', []],
  ['spec 4.1', 'elements.title[any]=Lighthouse', []],
  ['spec 4.1', 'elements.metadata__meta_title=Light', ['lighthouse']],
  ['spec 4.1', 'elements.url=harbour', ['harbour']],
  ['spec 4.1', 'elements.rating=five', ['lighthouse']],
  ['added operator', 'elements.rating[neq]=five', ['anchor', 'ferry', 'harbour', 'pier', 'tide']],
  ['added operator', 'elements.rating[empty]', ['anchor', 'ferry', 'harbour', 'pier', 'tide']],
  ['null when empty', 'elements.rating=', []],
  ['added operator', 'elements.body[empty]', ['anchor', 'ferry', 'harbour', 'pier', 'tide']],
  ['added operator', 'elements.body[nempty]', ['lighthouse']],
  ['matches nothing', 'elements.unknown=x', []],
  ['matches nothing', 'elements.unknown[neq]=x', []],
  ['matches nothing', 'elements.unknown[empty]', []],
  ['ignored', 'unknown=x&unknown[lt]=3&system.type=note', ['memo']],
];

const NUMBERS: readonly Row[] = [
  ['spec 4.1', 'elements.price=9', ['anchor', 'ferry']],
  ['spec 4.1', 'elements.price=9.0', ['anchor', 'ferry']],
  ['spec 4.1', 'elements.price[lt]=9', ['lighthouse', 'tide']],
  ['spec 4.1', 'elements.price[lte]=9', ['anchor', 'ferry', 'lighthouse', 'tide']],
  ['spec 4.1', 'elements.price[gt]=9', ['harbour']],
  ['spec 4.1', 'elements.price[gte]=10', ['harbour']],
  ['spec 4.1', 'elements.price[range]=8.5,9', ['anchor', 'ferry', 'lighthouse']],
  ['spec 4.1', 'elements.price[range]=-1,-1', ['tide']],
  ['spec 4.1', 'elements.price[range]=9,8', []],
  ['spec 4.1', 'elements.price[in]=10,-1,none', ['harbour', 'tide']],
  ['added operator', 'elements.price[neq]=9', ['harbour', 'lighthouse', 'pier', 'tide']],
  ['added operator', 'elements.price[nin]=9,10', ['lighthouse', 'pier', 'tide']],
  ['added operator', 'elements.price[neq]=nine', ARTICLES],
  ['added operator', 'elements.price[empty]', ['pier']],
  ['spec 4.1', 'elements.price=nine', []],
  ['spec 4.1', 'elements.price[gt]=', []],
];

const DATES: readonly Row[] = [
  ['spec 4.1', 'elements.opened=2019-01-01T00:00:00Z', ['lighthouse']],
  ['spec 4.1', 'elements.opened[range]=2019-01-01,2019-12-31', ['lighthouse']],
  ['spec 4.1', 'elements.opened[gt]=2019-01-01', ['lighthouse', 'tide']],
  ['spec 4.1', 'elements.opened[lt]=2020-05-05', ['lighthouse', 'tide']],
  ['added operator', 'elements.opened[empty]', ['anchor', 'ferry', 'harbour', 'pier']],
];

const ARRAYS: readonly Row[] = [
  ['spec 4.1', 'elements.topics[contains]=coast', ['lighthouse']],
  ['spec 4.1', 'elements.topics[any]=boats,electric', ['ferry', 'harbour']],
  ['spec 4.1', 'elements.topics[all]=coast,sailing', ['lighthouse']],
  ['spec 4.1', 'elements.topics[all]=coast,boats', []],
  ['spec 4.1', 'elements.topics[contains]=Coast', []],
  ['spec 4.1', 'elements.topics=coast', []],
  ['spec 4.1', 'elements.topics[in]=coast', []],
  ['spec 4.1', 'elements.topics[lt]=z', []],
  ['added operator', 'elements.topics[neq]=coast', []],
  ['added operator', 'elements.topics[nin]=coast', []],
  ['added operator', 'elements.topics[empty]', ['anchor', 'pier', 'tide']],
  ['spec 4.1', 'elements.state[contains]=sold', ['tide']],
  ['spec 4.1', 'elements.state[any]=sold,new', ['lighthouse', 'tide']],
  ['spec 4.1', 'elements.related[contains]=ferry', ['harbour', 'lighthouse']],
  ['spec 4.1', 'elements.related[contains]=hidden', ['lighthouse']],
  ['spec 4.1', 'elements.related[all]=ferry,hidden', ['lighthouse']],
  ['spec 4.1', 'elements.related[contains]=unknown', []],
  ['by file name', 'elements.photos[contains]=map.png', ['lighthouse']],
  ['by file name', 'elements.photos[any]=light house.jpg,none', ['lighthouse']],
  ['added operator', 'elements.photos[nempty]', ['lighthouse']],
];

const TOGETHER: readonly Row[] = [
  [
    'spec 4.1',
    'system.type=article&elements.price[gt]=8&elements.topics[any]=boats,electric',
    ['ferry', 'harbour'],
  ],
  ['spec 4.1', 'elements.price=9&elements.amount=3', []],
  ['spec 4.1', 'elements.price[gt]=8&order=elements.price[desc]&limit=2', ['harbour', 'anchor']],
  ['combined by AND', 'elements.price[gt]=8&elements.price[gt]=9', ['harbour']],
];

describe('delivery: filters', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  const groups = {
    'system attributes': SYSTEM,
    text: TEXT,
    numbers: NUMBERS,
    dates: DATES,
    arrays: ARRAYS,
    together: TOGETHER,
  };
  for (const [title, rows] of Object.entries(groups)) {
    describe(title, () => {
      for (const [why, query, expected] of rows) {
        it(`${query} (${why})`, async () => {
          const { status, body } = await service.delivery.get<Listing>(`/items?${query}`);
          expect(status).to.equal(200);
          expect(codenames(body)).to.deep.equal(expected);
          expect(body.pagination.count).to.equal(expected.length);
        });
      }
    });
  }

  it('finds a rich text with images by its value as it was delivered (spec 4.1)', async () => {
    const { body } = await service.delivery.get<Single>('/items/lighthouse');
    const { value } = body.item.elements['body'] as { readonly value: string };
    expect(value).to.include(`src="${service.service.url}/assets/`);
    const found = async (operator: string) => {
      const query = `elements.body${operator}=${encodeURIComponent(value)}`;
      return codenames((await service.delivery.get<Listing>(`/items?${query}`)).body);
    };
    expect(await found('')).to.deep.equal(['lighthouse']);
    expect(await found('[neq]')).to.deep.equal(ARTICLES.filter((codename) => codename !== 'lighthouse'));
  });

  describe('as clients encode them', () => {
    const forms: readonly (readonly [client: string, query: string])[] = [
      ['raw, as JavaScript sends it', 'system.type[in]=article,note&elements.title[in]=Ferry,harbour'],
      [
        'percent-encoded, as .NET',
        'system.type%5Bin%5D=article%2Cnote&elements.title%5Bin%5D=Ferry%2Charbour',
      ],
      [
        'percent-encoded in lower case',
        'system.type%5bin%5d=article%2cnote&elements.title%5bin%5d=Ferry%2charbour',
      ],
      ['form-encoded, as PHP', 'system.type%5Bin%5D=article%2Cnote&elements.title%5Bin%5D=Ferry%2Charbour&'],
      ['doubled separators', '&system.type[in]=article,note&&elements.title[in]=Ferry,harbour&'],
    ];
    for (const [client, query] of forms) {
      it(client, async () => {
        const { body } = await service.delivery.get<Listing>(`/items?${query}`);
        expect(codenames(body)).to.deep.equal(['ferry', 'harbour']);
      });
    }

    for (const space of ['+', '%20']) {
      it(`a space as ${space}`, async () => {
        const { body } = await service.delivery.get<Listing>(`/items?system.name=The${space}harbour`);
        expect(codenames(body)).to.deep.equal(['harbour']);
      });
    }

    for (const bare of ['elements.title[empty]', 'elements.title%5Bempty%5D', 'elements.title[empty]=']) {
      it(`a filter without a value: ${bare}`, async () => {
        const { body } = await service.delivery.get<Listing>(`/items?${bare}`);
        expect(codenames(body)).to.deep.equal(['pier']);
      });
    }

    it('the broken form of one client is ignored', async () => {
      const { status } = await service.delivery.get<Listing>('/items?0=elements.title%5Bempty%5D');
      expect(status).to.equal(200);
    });
  });

  it('finds a rich text with the address of an asset that was typed', async () => {
    const { core, url } = service.service;
    const { key } = await managementKey(core, service.project.id);
    const v2 = manageClient(`${url}/manage/v2/projects/${service.project.id}`, key);
    const typed = `https://assets.example.com/${service.project.id}/${'1'.repeat(8)}-1111-4111-8111-${'1'.repeat(12)}/f.png`;
    const value = `<p><a href="${typed}">typed</a></p>`;
    await v2.post('/items', { name: 'Typed', codename: 'typed', type: { codename: 'article' } });
    const variant = '/items/codename/typed/variants/codename/en-US';
    const elements = [{ element: { codename: 'body' }, value }];
    expect((await v2.put(variant, { elements })).status).to.equal(201);
    expect((await v2.put(`${variant}/publish`)).status).to.equal(204);
    const query = `/items?elements.body=${encodeURIComponent(value)}`;
    expect(codenames((await service.delivery.get<Listing>(query)).body)).to.deep.equal(['typed']);
    expect((await v2.delete('/items/codename/typed')).status).to.equal(204);
  });
});
