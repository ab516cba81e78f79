import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Datasets } from '../datasets.ts';
import { freePort } from '../service.ts';
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
import { install } from './install.ts';
import { encoded, type Found, type Product, type ReadRequest, send } from './product.ts';
import { applicationFiles, EMAIL, PASSWORD } from './strapi-application.ts';
import { writeFiles } from './write-files.ts';

const VERSION = '5.54.0';
const STRAPI = 'node_modules/@strapi/strapi/bin/strapi.js';

/** Readers are anonymous; the writer has an API token with full access. */
export async function startStrapi(datasets: Datasets): Promise<Product> {
  const installation = await install(datasets, `strapi-${VERSION}`, {
    dependencies: {
      '@strapi/strapi': VERSION,
      '@strapi/plugin-users-permissions': VERSION,
      'better-sqlite3': '13.2.0',
      react: '18.3.1',
      'react-dom': '18.3.1',
      'react-router-dom': '6.30.3',
      'styled-components': '6.1.19',
    },
    scripts: ['@swc/core', 'esbuild'],
  });
  const { folder } = installation;
  const port = await freePort();
  const environment = { PORT: `${port}`, STRAPI_TELEMETRY_DISABLED: 'true' };
  const note = join(folder, 'loaded.json');
  const isLoaded = existsSync(note);
  if (!isLoaded) {
    for (const left of ['data.db', 'token']) await rm(join(folder, left), { force: true });
    await writeFiles(folder, applicationFiles());
    datasets.progress('building Strapi');
    await installation.run([STRAPI, 'build'], environment);
  }
  const url = `http://127.0.0.1:${port}`;
  const pid = await installation.serve([STRAPI, 'start'], environment, `${url}/_health`);
  const token = await readFile(join(folder, 'token'), 'utf8');
  const call = async (method: string, path: string, data: object) =>
    (await send<{ data: { documentId: string } }>(`${url}/api/${path}`, { method, token, body: { data } }))
      .data.documentId;
  if (!isLoaded) {
    datasets.progress('loading Strapi');
    await writeFile(note, JSON.stringify(await load(call)));
  }
  const { first, form }: Loaded = JSON.parse(await readFile(note, 'utf8'));
  return {
    name: `Strapi ${VERSION}`,
    port,
    pid,
    reads: {
      hundred: read('pagination[pageSize]=100&populate=*'),
      slug: read('filters[slug][$eq]=article-{n%5000}&populate=*'),
      filtered: read(
        `filters[category][name][$eq]=Category 3&sort=title&pagination[limit]=${PAGE}&pagination[withCount]=false`,
      ),
      deep: read(
        `sort=title&pagination[start]=${DEEP_SKIP}&pagination[limit]=${PAGE}&pagination[withCount]=false`,
      ),
    },
    async write(summary) {
      await call('PUT', `articles/${first}?status=published`, { summary });
    },
    async written() {
      const { data } = await send<{ data: { summary: string } }>(`${url}/api/articles/${first}`);
      return data.summary;
    },
    application: {
      async signIn(page) {
        await page.goto(`${url}/admin/auth/login`);
        await page.locator('[name=email]').fill(EMAIL);
        await page.locator('[name=password]').fill(PASSWORD);
        await page.getByRole('checkbox').click();
        await page.getByRole('button', { name: 'Login' }).click();
        await page.getByRole('link', { name: 'Content Manager' }).first().waitFor();
      },
      list: `${url}/admin/content-manager/collection-types/api::article.article`,
      row: 'table tbody tr td',
      form: `${url}/admin/content-manager/collection-types/api::form.form/${form}`,
      text: (index) => `[name=text_${index}]`,
      body: '[data-slate-editor=true]',
      async save(page) {
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Saved document').first().waitFor();
      },
      async stored() {
        const { data } = await send<{ data: Record<string, string> & { body: unknown[] } }>(
          `${url}/api/forms/${form}?status=draft`,
          { token },
        );
        return {
          text: (index) => data[`text_${index}`]!,
          paragraphs: data.body.map((block) => JSON.stringify(block)),
        };
      },
    },
  };
}

interface Row {
  readonly title: string;
  readonly author?: { readonly name: string };
  readonly category?: { readonly name: string };
}

function read(query: string): ReadRequest {
  return {
    path: encoded(`/api/articles?${query}`),
    found: (answer): Found => {
      const { data, meta } = answer as { data: Row[]; meta: { pagination: { total?: number } } };
      return {
        items: data.map(({ title, author, category }) => ({
          title,
          author: author?.name,
          category: category?.name,
        })),
        total: meta.pagination.total,
      };
    },
  };
}

const FORM = {
  ...Object.fromEntries(Array.from({ length: FORM_TEXTS }, (_, index) => [`text_${index}`, formText(index)])),
  body: FORM_BLOCKS.map((text) => ({ type: 'paragraph', children: [{ type: 'text', text }] })),
};

/** Ids of the first article and of the form. */
interface Loaded {
  readonly first: string;
  readonly form: string;
}

async function load(call: (method: string, path: string, data: object) => Promise<string>): Promise<Loaded> {
  const create = (path: string, data: object) => call('POST', `${path}?status=published`, data);
  const authors: string[] = [];
  for (const name of names('Author', AUTHORS)) authors.push(await create('authors', { name }));
  const categories: string[] = [];
  for (const name of names('Category', CATEGORIES)) categories.push(await create('categories', { name }));
  const linked = articles().map(({ author, category, ...rest }) => ({
    ...rest,
    author: authors[author],
    category: categories[category],
  }));
  const first = await create('articles', linked[0]!);
  await eightAtOnce(linked.slice(1), (one) => create('articles', one));
  return { first, form: await create('forms', FORM) };
}
