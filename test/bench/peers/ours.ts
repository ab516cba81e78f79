import type { Datasets } from '../datasets.ts';
import { ADMIN_TOKEN, type ManagedService, managed } from '../management/managed-service.ts';
import { startService } from '../service.ts';
import {
  AUTHORS,
  articles,
  CATEGORIES,
  DEEP_SKIP,
  eightAtOnce,
  FORM_BLOCKS,
  FORM_TEXTS,
  formText,
  names,
  PAGE,
} from './content.ts';
import { encoded, type Found, type Product, type ReadRequest, send, type WebApplication } from './product.ts';

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
  const form = await addForm(management, default_language.id);
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
    application: await application(management, `${url}/console`, form, default_language.id),
  };
}

async function application(
  { project, admin, call }: ManagedService,
  base: string,
  form: string,
  language: string,
): Promise<WebApplication> {
  const user = await admin('users', { name: 'Ada', email: 'ada@example.org', operator: true });
  let isKnown = false;
  return {
    async signIn(page) {
      if (isKnown) {
        await page.goto(`${base}/sign-in`);
        await page.getByLabel('Mail address').fill('ada@example.org');
        await page.getByLabel('Password').fill(PASSWORD);
      } else {
        const { token } = await admin(`users/${user['id']}/sign-in-link`, {});
        await page.goto(`${base}/sign-in#token=${token}`);
        await page.getByLabel('New password').fill(PASSWORD);
        isKnown = true;
      }
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Content' }).waitFor();
    },
    list: `${base}/projects/${project}/content?type=article`,
    row: '[role=grid] tbody th',
    form: `${base}/projects/${project}/items/${form}`,
    text: (index) => `[data-element=text_${index}] textarea`,
    body: '[data-element=body] [contenteditable=true]',
    // It saves by itself.
    save: (page) => page.getByText('All changes are saved', { exact: false }).waitFor(),
    async stored() {
      const { elements } = (await call('GET', `/items/${form}/variants/${language}`)) as {
        readonly elements: readonly {
          readonly element: { readonly codename?: string; readonly id: string };
          readonly value: string;
        }[];
      };
      return {
        text: (index) => elements[index]!.value,
        paragraphs: elements[FORM_TEXTS]!.value.match(/<p>.*?<\/p>/gs) ?? [],
      };
    },
  };
}

const PASSWORD = 'correct horse battery staple';

/** @returns the id of the item of 50 elements */
async function addForm({ call }: ManagedService, language: string): Promise<string> {
  const texts = Array.from({ length: FORM_TEXTS }, (_, index) => `text_${index}`);
  const text = (codename: string) => ({ type: 'text', name: codename, codename });
  const elements = [...texts.map(text), { type: 'rich_text', name: 'Body', codename: 'body' }];
  await call('POST', '/types', { name: 'Form', codename: 'form', elements });
  const item = { name: 'Form', type: { codename: 'form' }, sitemap_locations: [] };
  const { id } = (await call('POST', '/items', item)) as { readonly id: string };
  await call('PUT', `/items/${id}/variants/${language}`, {
    elements: [
      ...texts.map((codename, index) => value(codename, formText(index))),
      value('body', FORM_BLOCKS.map((block) => `<p>${block}</p>`).join('\n')),
    ],
  });
  return id;
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
