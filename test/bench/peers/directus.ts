import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Datasets } from '../datasets.ts';
import { freePort } from '../service.ts';
import { AUTHORS, articles, CATEGORIES, DEEP_SKIP, names, PAGE } from './content.ts';
import { install } from './install.ts';
import {
  encoded,
  type Found,
  itemOf,
  type LinkedRow,
  type Product,
  type ReadRequest,
  send,
} from './product.ts';

const VERSION = '12.4.0';
const DIRECTUS = 'node_modules/directus/cli.js';
const EMAIL = 'ada@example.com';
const PASSWORD = 'Correct horse battery staple 1';
const TOKEN = 'a'.repeat(32);
/** The policy of those who have not signed in: its id is the same in every installation. */
const PUBLIC_POLICY = 'abf8a154-5b1c-4a46-ac9c-7300570f4f17';
/** So many articles in a call while they are loaded. */
const BATCH = 500;

const environment = (port: number) => ({
  HOST: '127.0.0.1',
  PORT: `${port}`,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SECRET: 'b'.repeat(32),
  DB_CLIENT: 'sqlite3',
  DB_FILENAME: 'data.db',
  ADMIN_EMAIL: EMAIL,
  ADMIN_PASSWORD: PASSWORD,
  ADMIN_TOKEN: TOKEN,
  TELEMETRY: 'false',
});

/**
 * Readers are anonymous; the writer has an administrator's static token. Its web application replaces the session at each
 * load, so that one sign-in does not serve the profiles of the benchmark; it is left out.
 */
export async function startDirectus(datasets: Datasets): Promise<Product> {
  const installation = await install(datasets, `directus-${VERSION}`, {
    // Where npm puts another zod at the top, one of its packages does not start.
    dependencies: { directus: VERSION, sqlite3: '5.1.7', zod: '4.6.7' },
    scripts: ['isolated-vm', 'sqlite3', 'argon2'],
  });
  const { folder } = installation;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const loaded = join(folder, 'loaded');
  const isLoaded = existsSync(loaded);
  if (!isLoaded) {
    await rm(join(folder, 'data.db'), { force: true });
    await installation.run([DIRECTUS, 'bootstrap'], environment(port));
  }
  const pid = await installation.serve([DIRECTUS, 'start'], environment(port), `${url}/server/ping`);
  const call = async <Data>(method: string, path: string, body?: unknown) =>
    (await send<{ data: Data }>(`${url}/${path}`, { method, token: TOKEN, body }))?.data;
  if (!isLoaded) {
    datasets.progress('loading Directus');
    await load(call);
    await writeFile(loaded, '');
  }
  return {
    name: `Directus ${VERSION}`,
    port,
    pid,
    reads: {
      hundred: read('limit=100&fields=*,author.*,category.*&meta=total_count'),
      slug: read('limit=1&fields=*,author.*,category.*&filter[slug][_eq]=article-{n%5000}'),
      filtered: read(`limit=${PAGE}&filter[category][name][_eq]=Category 3&sort=title`),
      deep: read(`limit=${PAGE}&offset=${DEEP_SKIP}&sort=title`),
    },
    async write(summary) {
      await call('PATCH', 'items/articles/1', { summary });
    },
    async written() {
      return (await call<{ summary: string }>('GET', 'items/articles/1')).summary;
    },
  };
}

function read(query: string): ReadRequest {
  return {
    path: encoded(`/items/articles?${query}`),
    found: (answer): Found => {
      const { data, meta } = answer as { data: LinkedRow[]; meta?: { total_count: number } };
      return { items: data.map(itemOf), total: meta?.total_count };
    },
  };
}

type Call = <Data>(method: string, path: string, body?: unknown) => Promise<Data>;

const field = (name: string, type: string, meta: object = {}) => ({ field: name, type, meta, schema: {} });
const input = (name: string) => field(name, 'string', { interface: 'input' });
const link = (name: string) => field(name, 'integer', { interface: 'select-dropdown-m2o', special: ['m2o'] });

/** Fields by collection. */
const COLLECTIONS: Readonly<Record<string, readonly object[]>> = {
  authors: [input('name')],
  categories: [input('name')],
  articles: [
    ...['title', 'slug', 'summary'].map(input),
    field('body', 'text', { interface: 'input-rich-text-html' }),
    field('rank', 'integer', { interface: 'input' }),
    link('author'),
    link('category'),
  ],
};

async function load(call: Call): Promise<void> {
  for (const [collection, fields] of Object.entries(COLLECTIONS)) {
    await call('POST', 'collections', { collection, fields, meta: {}, schema: {} });
    const everything = { policy: PUBLIC_POLICY, collection, action: 'read', fields: ['*'], permissions: {} };
    await call('POST', 'permissions', everything);
  }
  for (const [name, related_collection] of [
    ['author', 'authors'],
    ['category', 'categories'],
  ])
    await call('POST', 'relations', { collection: 'articles', field: name, related_collection });
  await call(
    'POST',
    'items/authors',
    names('Author', AUTHORS).map((name) => ({ name })),
  );
  await call(
    'POST',
    'items/categories',
    names('Category', CATEGORIES).map((name) => ({ name })),
  );
  // Its ids are numbers from 1, in the order of creation.
  const rows = articles().map((one) => ({ ...one, author: one.author + 1, category: one.category + 1 }));
  for (let from = 0; from < rows.length; from += BATCH)
    await call('POST', 'items/articles', rows.slice(from, from + BATCH));
}
