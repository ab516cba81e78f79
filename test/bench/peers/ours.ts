import type { Datasets } from '../datasets.ts';
import { ADMIN_TOKEN, type ManagedService, managed } from '../management/managed-service.ts';
import { startService } from '../service.ts';
import { AUTHORS, articles, CATEGORIES, DEEP_SKIP, eightAtOnce, names, PAGE } from './content.ts';
import { encoded, type Found, type Product, type ReadRequest, send } from './product.ts';

type Kind = 'author' | 'category' | 'article';

/** This service in a project of its own: the whole pipeline, but no response cache and no limit of calls. */
export async function startOurs(datasets: Datasets): Promise<Product> {
  const dataset = await datasets.copy(await datasets.of(100), 'peers-ours');
  const service = await startService(dataset, { ADMIN_TOKEN, PIPELINE__OFF: 'rate-limit,response-cache' });
  const url = `http://127.0.0.1:${service.port}`;
  const { id: project, default_language } = await send<{ id: string; default_language: { id: string } }>(
    `${url}/admin/projects`,
    { method: 'POST', token: ADMIN_TOKEN, body: { name: 'Peers' } },
  );
  const management = await managed(service, { ...dataset, project });
  datasets.progress('loading ours');
  const changed = await load(management, default_language.id);
  await management.settled();
  const items = `/delivery/${project}/items`;
  const read = (query: string): ReadRequest => ({
    path: encoded(`${items}?system.type=article&${query}`),
    found,
  });
  return {
    name: 'ours',
    port: service.port,
    pid: service.pid,
    reads: {
      hundred: read('limit=100&depth=1&includeTotalCount=true'),
      slug: read('limit=1&depth=1&elements.slug=article-{n%5000}'),
      filtered: read(
        `limit=${PAGE}&depth=0&elements.category[contains]=category_3&order=elements.title[asc]`,
      ),
      deep: read(`limit=${PAGE}&depth=0&skip=${DEEP_SKIP}&order=elements.title[asc]`),
    },
    async write(summary) {
      const variant = `/items/${changed}/variants/${default_language.id}`;
      await management.call('PUT', `${variant}/new-version`);
      await management.call('PUT', variant, { elements: [value('summary', summary)] });
      await management.call('PUT', `${variant}/publish`);
    },
    async written() {
      const answer = await send<Answer>(`${url}${items}?elements.slug=article-0`);
      return String(answer.items[0]?.elements['summary']?.value);
    },
  };
}

interface Answer {
  readonly items: readonly AnswerItem[];
  readonly modular_content: Readonly<Record<string, AnswerItem>>;
  readonly pagination: { readonly total_count?: number };
}

interface AnswerItem {
  readonly elements: Readonly<Record<string, { readonly value: unknown }>>;
}

function found(answer: unknown): Found {
  const { items, modular_content, pagination } = answer as Answer;
  const text = (item: AnswerItem | undefined, element: string) => item?.elements[element]?.value as string;
  const name = (item: AnswerItem, element: string) => {
    const [codename] = (item.elements[element]?.value ?? []) as string[];
    return text(modular_content[codename ?? ''], 'name');
  };
  return {
    items: items.map((item) => ({
      title: text(item, 'title'),
      author: name(item, 'author'),
      category: name(item, 'category'),
    })),
    total: pagination.total_count,
  };
}

const value = (codename: string, content: unknown) => ({ element: { codename }, value: content });

/** @returns the id of the first article */
async function load({ call }: ManagedService, language: string): Promise<string> {
  const element = (type: string, name: string) => ({ type, name, codename: name.toLowerCase() });
  const names_ = [element('text', 'Name')];
  const types: Readonly<Record<Kind, readonly object[]>> = {
    author: names_,
    category: names_,
    article: [
      ...['Title', 'Slug', 'Summary'].map((name) => element('text', name)),
      element('rich_text', 'Body'),
      element('number', 'Rank'),
      ...['Author', 'Category'].map((name) => element('modular_content', name)),
    ],
  };
  for (const [codename, elements] of Object.entries(types))
    await call('POST', '/types', { name: codename, codename, elements });
  const create = async (type: Kind, number: number, elements: readonly object[]): Promise<string> => {
    const codename = `${type}_${number}`;
    const body = { name: codename, codename, type: { codename: type }, sitemap_locations: [] };
    const { id } = (await call('POST', '/items', body)) as { readonly id: string };
    const variant = `/items/${id}/variants/${language}`;
    await call('PUT', variant, { elements });
    await call('PUT', `${variant}/publish`);
    return id;
  };
  for (const [number, name] of names('Author', AUTHORS).entries())
    await create('author', number, [value('name', name)]);
  for (const [number, name] of names('Category', CATEGORIES).entries())
    await create('category', number, [value('name', name)]);
  let first = '';
  await eightAtOnce([...articles().entries()], async ([number, { author, category, ...rest }]) => {
    const id = await create('article', number, [
      ...Object.entries(rest).map(([codename, content]) => value(codename, content)),
      value('author', [{ codename: `author_${author}` }]),
      value('category', [{ codename: `category_${category}` }]),
    ]);
    if (number === 0) first = id;
  });
  return first;
}
