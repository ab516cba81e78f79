/** Listings longer than one page, one batch, one part of the feed. */

import { expect } from 'chai';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import { isLongForm } from '../support/long-form.ts';
import { expectedAnswer } from '../support/oracle/answer.ts';
import { differences } from '../support/oracle/compare.ts';
import type { ErrorBody, Listing } from '../support/projects/harbour-service.ts';
import { DEFAULT_LANGUAGE } from '../support/random/content-draft.ts';
import { readOverHttp } from '../support/random/read-content.ts';
import type { Step } from '../support/random/steps.ts';
import { TwinProject } from '../support/random/twin-project.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const COUNT = 1200;
const TYPE: readonly Step[] = [
  { do: 'language', key: DEFAULT_LANGUAGE, name: 'English', codename: 'en', active: true, fallback: null },
  {
    do: 'type',
    key: 'leaf',
    name: 'Leaf',
    codename: 'leaf',
    elements: [
      { key: 'title', codename: 'title', kind: 'text', name: 'Title' },
      { key: 'rank', codename: 'rank', kind: 'number', name: 'Rank' },
      { key: 'next', codename: 'next', kind: 'modular_content', name: 'Next' },
      { key: 'body', codename: 'body', kind: 'rich_text', name: 'Body' },
    ],
  },
];

function leaves(): Step[][] {
  const keys = Array.from(
    { length: COUNT },
    (_, index) => `leaf_${String((index * 7919) % COUNT).padStart(4, '0')}`,
  );
  const items = keys.map(
    (key): Step => ({ do: 'item', key, name: key, codename: key, type: 'leaf', sitemap: [] }),
  );
  const variants = keys.flatMap((key, index): Step[] => [
    {
      do: 'variant',
      item: key,
      language: DEFAULT_LANGUAGE,
      values: {
        title: `Leaf ${index % 10}`,
        rank: index % 50,
        next: [keys[(index + 1) % COUNT]!],
        body: {
          blocks:
            index % 40 === 0
              ? [
                  {
                    block: 'component',
                    component: { id: componentId(index), type: 'leaf', values: { title: 'Bud' } },
                  },
                ]
              : [],
        },
      },
    },
    { do: 'publish', item: key, language: DEFAULT_LANGUAGE },
  ]);
  return [items, variants];
}

function componentId(index: number): string {
  return `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

describe('delivery: long listings and the feed', () => {
  let service: RunningService;
  let project: TwinProject;
  let delivery: ApiClient;
  let base: string;

  before(async () => {
    service = await startService();
    project = await TwinProject.create(service.core, 'Leaves', service.mediaType);
    await project.apply(TYPE);
    for (const batch of leaves()) await project.apply(batch);
    base = `${service.url}/delivery`;
    delivery = createApiClient(`${base}/${project.id}`, { surface: 'delivery' });
  });
  after(() => service.stop());

  const QUERIES = [
    '/items',
    '/items?depth=0',
    '/items?depth=3&elements=next',
    '/items?order=elements.rank[desc]',
    '/items?elements.rank[lt]=25&order=elements.title[asc]&includeTotalCount',
    '/items?skip=1150',
    '/items?skip=1150&limit=20&includeTotalCount',
    '/items?skip=1195&limit=20&order=elements.rank[asc]',
    '/items?skip=1190&limit=10&order=elements.title[desc]',
    '/items?skip=600&limit=3&depth=0&elements.rank[lt]=30&includeTotalCount',
    '/items?skip=1200&limit=3&includeTotalCount',
    '/items?skip=5000&limit=3',
    '/items?skip=700&limit=5&depth=2',
    '/items?skip=700&limit=5&elements=title',
    '/items?skip=200&limit=200',
    '/items?limit=300&depth=2',
    '/items?elements=title&skip=7',
    '/items-feed',
    '/items-feed?elements=title',
    '/items-feed?elements.rank[gte]=10',
    '/items-feed?order=elements.rank[desc]',
    '/items-feed?system.type=none',
  ];
  for (const query of QUERIES) {
    it(`${query} is complete at each request (spec 2.5)`, async () => {
      for (let time = 0; time < 3; time += 1)
        expect(await differ(query), `time ${time + 1}`).to.deep.equal([]);
    });
  }

  it('shows a change at once in pages that were requested before', async () => {
    const key = 'leaf_0700';
    await apply([{ do: 'unpublish', item: key, language: DEFAULT_LANGUAGE }]);
    const some = QUERIES.filter((_, at) => isLongForm || at % 3 === 0);
    for (const query of some) expect(await differ(query), query).to.deep.equal([]);
    await apply([{ do: 'publish', item: key, language: DEFAULT_LANGUAGE }]);
    for (const query of some) expect(await differ(query), query).to.deep.equal([]);
  });

  it('shows the new codename of an element while the documents are still being recompiled', async () => {
    const [type] = TYPE.slice(-1) as [Extract<Step, { do: 'type' }>];
    const elements = type.elements.map((one) =>
      one.key === 'title' ? { ...one, codename: 'headline' } : one,
    );
    await apply([{ ...type, elements }]);
    let settled = false;
    const settling = service.core.operations.settled().then(() => {
      settled = true;
    });
    // The short form: whole documents, and what names the element.
    const some = QUERIES.filter((query) => isLongForm || !query.includes('?') || query.includes('title'));
    const queries = some.map((query) => query.replace('elements=title', 'elements=headline'));
    for (let round = 0; round < 1 || !settled; round += 1) {
      for (const query of [
        ...queries,
        '/items?limit=5&elements.headline=Leaf 3',
        '/items?elements.title[nempty]',
      ])
        expect(await differ(query), query).to.deep.equal([]);
    }
    await settling;
    for (const query of queries) expect(await differ(query), query).to.deep.equal([]);
  });

  /** Of the content as it is; the oracle takes longer than the service. */
  const expectations = new Map<string, ReturnType<typeof expectedAnswer>>();
  async function apply(steps: readonly Step[]): Promise<void> {
    await project.apply(steps);
    expectations.clear();
  }

  async function differ(query: string): Promise<string[]> {
    const [path, text = ''] = query.split('?') as [string, string?];
    const bases = { self: base, assets: `${service.url}/assets` };
    const expected =
      expectations.get(query) ?? expectedAnswer(project.content, 'published', path, text, bases);
    expectations.set(query, expected);
    const request = { channel: 'published' as const, path: `/${project.id}${path}`, query: text };
    const answer = await readOverHttp(base, request, {});
    return differences(expected, answer, `${base}/${project.id}${path}`);
  }

  it('sends the feed in parts, the last one without X-Continuation', async () => {
    const found: string[] = [];
    let token: string | null = null;
    let parts = 0;
    do {
      const headers: Record<string, string> = token === null ? {} : { 'x-continuation': token };
      const { body, headers: answered } = await delivery.get<Listing>('/items-feed', { headers });
      expect(Object.keys(body)).to.deep.equal(['items', 'modular_content']);
      found.push(...body.items.map(({ system }) => system.codename));
      token = answered.get('x-continuation');
      parts += 1;
    } while (token !== null && parts < 100);
    expect(parts).to.be.greaterThan(1);
    expect(found).to.have.length(COUNT);
    expect(new Set(found).size).to.equal(COUNT);
  });

  for (const token of ['nonsense', 'e30', encodeURIComponent('😀'), 'x'.repeat(2000)]) {
    it(`refuses an unknown token: ${token.slice(0, 20)}`, async () => {
      const { status, body } = await delivery.get<ErrorBody>('/items-feed', {
        headers: { 'x-continuation': token },
      });
      expect(status).to.equal(400);
      expect(body.message).to.be.a('string');
    });
  }

  it('refuses the token of another request', async () => {
    const first = await delivery.get('/items-feed');
    const headers = { 'x-continuation': first.headers.get('x-continuation')! };
    expect((await delivery.get('/items-feed?elements=title', { headers })).status).to.equal(400);
  });
});
