import { AUTHORS, articles, CATEGORIES, FORM_BLOCKS, FORM_TEXTS, formText, names } from './content.ts';

export const EMAIL = 'ada@example.com';
export const PASSWORD = 'correct horse battery staple';

/** The files of a Payload project in Next, by path: its collections, REST routes and web application, and a script that loads the items. */
export function applicationFiles(): Record<string, string> {
  return {
    'next.config.mjs': `import { withPayload } from '@payloadcms/next/withPayload';
${exported('withPayload({})')}`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        strict: false,
        module: 'esnext',
        moduleResolution: 'bundler',
        target: 'es2022',
        jsx: 'react-jsx',
        skipLibCheck: true,
        esModuleInterop: true,
        noEmit: true,
        // Payload generates the second.
        paths: { '@payload-config': ['./payload.config.ts'], '@import-map': ['./app/admin/importMap.js'] },
      },
      include: ['**/*.ts', '**/*.tsx'],
      // Payload runs it, Next does not.
      exclude: ['node_modules', 'load.ts'],
    }),
    'app/api/[...slug]/route.ts': `import config from '@payload-config';
import { REST_GET, REST_PATCH, REST_POST } from '@payloadcms/next/routes';
export const GET = REST_GET(config);
export const PATCH = REST_PATCH(config);
export const POST = REST_POST(config);
`,
    'app/admin/layout.tsx': LAYOUT,
    'app/admin/[[...segments]]/page.tsx': PAGE,
    'payload.config.ts': CONFIG,
    'content.json': JSON.stringify({
      authors: names('Author', AUTHORS),
      categories: names('Category', CATEGORIES),
      articles: articles(),
      form: FORM,
    }),
    'load.ts': LOAD,
  };
}

const exported = (expression: string) => `export default ${expression};\n`;

const CONFIG = `import { sqliteAdapter } from '@payloadcms/db-sqlite';
import { lexicalEditor } from '@payloadcms/richtext-lexical';
import { buildConfig } from 'payload';
const access = { read: () => true };
const text = (name: string) => ({ name, type: 'text' as const });
const config = buildConfig({
  secret: 'a-secret-for-the-benchmark-0123456789',
  telemetry: false,
  graphQL: { disable: true },
  db: sqliteAdapter({ client: { url: 'file:./data.db' } }),
  admin: { user: 'users', importMap: { importMapFile: \`\${process.cwd()}/app/admin/importMap.js\` } },
  editor: lexicalEditor(),
  collections: [
    { slug: 'users', auth: true, fields: [] },
    { slug: 'author', access, fields: [text('name')] },
    { slug: 'category', access, fields: [text('name')] },
    {
      slug: 'article',
      access,
      fields: [
        { name: 'title', type: 'text', index: true },
        { name: 'slug', type: 'text', unique: true, index: true },
        { name: 'summary', type: 'textarea' },
        { name: 'body', type: 'textarea' },
        { name: 'rank', type: 'number' },
        { name: 'author', type: 'relationship', relationTo: 'author' },
        { name: 'category', type: 'relationship', relationTo: 'category' },
      ],
    },
    {
      slug: 'form',
      access,
      fields: [
        ...Array.from({ length: ${FORM_TEXTS} }, (_, index) => text(\`text_\${index}\`)),
        { name: 'body', type: 'richText' },
      ],
    },
  ],
});
${exported('config')}`;

/** Paragraphs as its editor writes them. */
const FORM = {
  ...Object.fromEntries(Array.from({ length: FORM_TEXTS }, (_, index) => [`text_${index}`, formText(index)])),
  body: {
    root: {
      ...{ type: 'root', format: '', indent: 0, version: 1, direction: null },
      children: FORM_BLOCKS.map((text) => ({
        ...{
          type: 'paragraph',
          format: '',
          indent: 0,
          version: 1,
          direction: null,
          textFormat: 0,
          textStyle: '',
        },
        children: [{ type: 'text', detail: 0, format: 0, mode: 'normal', style: '', text, version: 1 }],
      })),
    },
  },
};

const LAYOUT = `import { handleServerFunctions, RootLayout } from '@payloadcms/next/layouts';
import '@payloadcms/next/css';
import config from '@payload-config';
import { importMap } from '@import-map';
async function serverFunction(args: any) {
  'use server';
  return handleServerFunctions({ ...args, config, importMap });
}
${exported(`function Layout({ children }: any) {
  return <RootLayout {...{ config, importMap, serverFunction }}>{children}</RootLayout>;
}`)}`;

const PAGE = `import { RootPage } from '@payloadcms/next/views';
import config from '@payload-config';
import { importMap } from '@import-map';
${exported(`function Page({ params, searchParams }: any) {
  return RootPage({ config, importMap, params, searchParams });
}`)}`;

/** Makes the tables as Payload does in development, and the items through its local API. */
const LOAD = `import { readFileSync } from 'node:fs';
import config from '@payload-config';
import { getPayload } from 'payload';
const payload = await getPayload({ config });
const { authors, categories, articles, form } = JSON.parse(readFileSync('content.json', 'utf8'));
await payload.create({ collection: 'users', data: { email: '${EMAIL}', password: '${PASSWORD}' } });
const create = async (collection, data) => (await payload.create({ collection, data, depth: 0 })).id;
const authorIds = [];
for (const name of authors) authorIds.push(await create('author', { name }));
const categoryIds = [];
for (const name of categories) categoryIds.push(await create('category', { name }));
for (const { author, category, ...rest } of articles)
  await create('article', { ...rest, author: authorIds[author], category: categoryIds[category] });
await create('form', form);
process.exit(0);
`;
