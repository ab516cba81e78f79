import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

interface Page {
  readonly items?: readonly { readonly id: string; readonly codename: string }[];
  readonly variants?: readonly {
    readonly item: { readonly id: string };
    readonly language: { readonly id: string };
  }[];
  readonly pagination: { readonly continuation_token: string | null; readonly next_page: string | null };
}

const MADE = 230;
/** Of the harbour project. */
const THERE = 9;

describe('management: listings', () => {
  let service: ManageService;
  const name = (index: number) => `Listed ${String(index).padStart(3, '0')}`;

  before(async () => {
    service = await startManage();
    await service.service.core.operations.inProject(service.project.id, null, async (transaction) => {
      for (let index = 0; index < MADE; index++) {
        const item = await createItem(transaction, { name: name(index), type: { codename: 'note' } });
        for (const language of index % 2 ? ['en-US'] : ['en-US', 'de-DE']) {
          const elements = [{ element: { codename: 'amount' }, value: index }];
          await upsertVariant(transaction, { id: item.id }, { codename: language }, { elements });
        }
      }
    });
  });
  after(() => service.stop());

  /** All pages, by the form of the request for the next one. */
  async function walk(
    path: string,
    way: 'next_page' | 'query' | 'header',
    between: (page: number) => Promise<void> = async () => {},
    client = service.v2,
  ): Promise<Page[]> {
    const pages: Page[] = [];
    let answer = await client.get<Page>(path);
    for (;;) {
      pages.push(answer.body);
      const { continuation_token: token, next_page: next } = answer.body.pagination;
      expect(answer.headers.get('x-continuation')).to.equal(token ?? '');
      if (token === null) {
        expect(next).to.equal(null);
        return pages;
      }
      await between(pages.length);
      answer =
        way === 'next_page'
          ? await client.get<Page>(next!)
          : way === 'query'
            ? await client.get<Page>(`${path}?continuationToken=${encodeURIComponent(token)}`)
            : await client.get<Page>(path, { 'x-continuation': token });
    }
  }

  for (const way of ['next_page', 'query', 'header'] as const) {
    it(`items come by 100, the next page by ${way} (spec 2.9)`, async () => {
      const pages = await walk('/items', way);
      expect(pages.map(({ items }) => items!.length)).to.deep.equal([100, 100, MADE + THERE - 200]);
      const ids = new Set(pages.flatMap(({ items }) => items!.map(({ id }) => id)));
      expect(ids.size).to.equal(MADE + THERE);
    });
  }

  it('v1 pages the same', async () => {
    const pages = await walk('/items', 'header', undefined, service.v1);
    expect(pages.map(({ items }) => items!.length)).to.deep.equal([100, 100, MADE + THERE - 200]);
    expect(pages[0]!.items![0]).not.to.have.property('collection');
  });

  it('variants of a type come by 50, in every active language', async () => {
    const pages = await walk('/types/codename/note/variants', 'next_page');
    const all = pages.flatMap(({ variants }) => variants!);
    for (const page of pages.slice(0, -1)) expect(page.variants).to.have.length(50);
    // memo and only_german of the harbour project have one each.
    expect(all).to.have.length(MADE + MADE / 2 + 2);
    expect(new Set(all.map(({ item, language }) => `${item.id} ${language.id}`)).size).to.equal(all.length);
  });

  it('variants that hold components of a type, nested ones included', async () => {
    const { body } = await service.v2.get<Page>('/types/codename/teaser/components');
    expect(body.variants).to.have.length(1);
    expect((await service.v2.get<Page>('/types/codename/note/components')).body).to.deep.equal({
      variants: [],
      pagination: { continuation_token: null, next_page: null },
    });
  });

  it('an unknown type is 404 with code 105', async () => {
    for (const path of ['/types/codename/nothing/variants', '/types/codename/nothing/components']) {
      const { status, body } = await service.v2.get<ManageError>(path);
      expect([status, body.error_code]).to.deep.equal([404, 105]);
    }
  });

  it('stays whole while others write: what is there all the time comes once, what is new comes last', async () => {
    const doomed = (await service.v2.get<{ id: string }>('/items/codename/tide')).body.id;
    const pages = await walk('/items', 'header', async (page) => {
      if (page === 1) await service.v2.delete(`/items/${doomed}`);
      await service.v2.post('/items', { name: `During ${page}`, type: { codename: 'note' } });
      const first = '/items/codename/listed_000';
      const { body } = await service.v2.get<{ sitemap_locations: unknown[] }>(first);
      const sitemap_locations = body.sitemap_locations.length ? [] : [{ codename: 'home' }];
      await service.v2.put(first, { ...body, sitemap_locations });
    });
    const codenames = pages.flatMap(({ items }) => items!.map(({ codename }) => codename));
    expect(new Set(codenames).size).to.equal(codenames.length);
    expect(codenames.slice(-2)).to.deep.equal(['during_1', 'during_2']);
    for (let index = 0; index < MADE; index++) {
      expect(codenames).to.include(name(index).toLowerCase().replace(' ', '_'));
    }
  });

  const BAD = ['x', 'MTAw', '====', 'a'.repeat(5000), Buffer.from('1|items|-1').toString('base64')];
  it('a token that is none of this listing is 400 with code 1007', async () => {
    const { body } = await service.v2.get<Page>('/items');
    const foreign = body.pagination.continuation_token!;
    for (const [path, token] of [
      ...BAD.map((bad) => ['/items', bad] as const),
      ['/types/codename/note/variants', foreign] as const,
    ]) {
      for (const answer of [
        await service.v2.get<ManageError>(`${path}?continuationToken=${encodeURIComponent(token)}`),
        await service.v2.get<ManageError>(path, { 'x-continuation': token }),
      ]) {
        expect([answer.status, answer.body.error_code], token).to.deep.equal([400, 1007]);
      }
    }
  });

  it('an empty token is the first page', async () => {
    const first = await service.v2.get<Page>('/items');
    expect((await service.v2.get<Page>('/items?continuationToken=')).body).to.deep.equal(first.body);
    expect((await service.v2.get<Page>('/items', { 'x-continuation': '' })).body).to.deep.equal(first.body);
  });
});
