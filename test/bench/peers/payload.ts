import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Datasets } from '../datasets.ts';
import { freePort } from '../service.ts';
import { DEEP_SKIP, PAGE } from './content.ts';
import { install } from './install.ts';
import { applicationFiles, EMAIL, PASSWORD } from './payload-application.ts';
import {
  encoded,
  type Found,
  itemOf,
  type LinkedRow,
  type Product,
  type ReadRequest,
  send,
} from './product.ts';
import { writeFiles } from './write-files.ts';

const VERSION = '3.90.2';
const NEXT = 'node_modules/next/dist/bin/next';
const CLOSED = { NEXT_TELEMETRY_DISABLED: '1', PAYLOAD_DISABLE_TELEMETRY: 'true' };

/** Readers are anonymous; the writer has signed in. */
export async function startPayload(datasets: Datasets): Promise<Product> {
  const installation = await install(datasets, `payload-${VERSION}`, {
    dependencies: {
      payload: VERSION,
      '@payloadcms/next': VERSION,
      '@payloadcms/db-sqlite': VERSION,
      '@payloadcms/ui': VERSION,
      '@payloadcms/richtext-lexical': VERSION,
      next: '16.3.8',
      react: '19.2.1',
      'react-dom': '19.2.1',
      graphql: '16.11.0',
      typescript: '5.9.3',
      '@types/react': '19.2.2',
      '@types/node': '22.19.0',
    },
    scripts: ['esbuild'],
    // Its script that loads the articles awaits at the top level.
    type: 'module',
  });
  const { folder } = installation;
  const loaded = join(folder, 'loaded');
  if (!existsSync(loaded)) {
    await rm(join(folder, 'data.db'), { force: true });
    await writeFiles(folder, applicationFiles());
    datasets.progress('loading Payload');
    const development = { ...CLOSED, NODE_ENV: 'development' };
    await installation.run(['node_modules/payload/bin.js', 'run', 'load.ts'], development);
    datasets.progress('building Payload');
    await installation.run(['node_modules/payload/bin.js', 'generate:importmap'], CLOSED);
    await installation.run([NEXT, 'build'], CLOSED);
    await writeFile(loaded, '');
  }
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const url = `${origin}/api`;
  const pid = await installation.serve(
    [NEXT, 'start', '-H', '127.0.0.1', '-p', `${port}`],
    CLOSED,
    `${url}/article/1`,
  );
  const { token } = await send<{ token: string }>(`${url}/users/login`, {
    method: 'POST',
    body: { email: EMAIL, password: PASSWORD },
  });
  return {
    name: `Payload ${VERSION}`,
    port,
    pid,
    reads: {
      hundred: read('limit=100&depth=1'),
      slug: read('limit=1&depth=1&where[slug][equals]=article-{n%5000}'),
      filtered: read(`limit=${PAGE}&depth=0&where[category.name][equals]=Category 3&sort=title`),
      deep: read(`limit=${PAGE}&depth=0&sort=title&page=${DEEP_SKIP / PAGE + 1}`),
    },
    async write(summary) {
      await send(`${url}/article/1`, { method: 'PATCH', token, body: { summary } });
    },
    async written() {
      return (await send<{ summary: string }>(`${url}/article/1`)).summary;
    },
    application: {
      async signIn(page) {
        await page.goto(`${origin}/admin/login`);
        await page.locator('#field-email').fill(EMAIL);
        await page.locator('#field-password').fill(PASSWORD);
        await page.locator('button[type=submit]').click();
        await page.waitForURL(`${origin}/admin`);
      },
      list: `${origin}/admin/collections/article`,
      row: '.table tbody tr td',
      form: `${origin}/admin/collections/form/1`,
      text: (index) => `#field-text_${index}`,
      body: '[data-lexical-editor=true]',
      async save(page) {
        await page.locator('#action-save').click();
        await page.getByText('Updated successfully').first().waitFor();
      },
      async stored() {
        const form = await send<Record<string, string> & { body: { root: { children: unknown[] } } }>(
          `${url}/form/1`,
        );
        return {
          text: (index) => form[`text_${index}`]!,
          paragraphs: form.body.root.children.map(ordered),
        };
      },
    },
  };
}

/** A value as JSON whose properties are in alphabetical order: its editor writes them in another one than the loader. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted())
      : part,
  );
}

function read(query: string): ReadRequest {
  return {
    path: encoded(`/api/article?${query}`),
    found: (answer): Found => {
      const { docs, totalDocs } = answer as { docs: LinkedRow[]; totalDocs: number };
      return { items: docs.map(itemOf), total: totalDocs };
    },
  };
}
