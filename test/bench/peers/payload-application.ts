import { AUTHORS, articles, CATEGORIES, names } from './content.ts';

export const EMAIL = 'ada@example.com';
export const PASSWORD = 'correct horse battery staple';

/** The files of a Payload project in Next, by path: three collections, the REST routes, and a script that loads the items. */
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
        paths: { '@payload-config': ['./payload.config.ts'] },
      },
      include: ['**/*.ts'],
      // Payload runs it, Next does not.
      exclude: ['node_modules', 'load.ts'],
    }),
    'app/api/[...slug]/route.ts': `import config from '@payload-config';
import { REST_GET, REST_PATCH, REST_POST } from '@payloadcms/next/routes';
export const GET = REST_GET(config);
export const PATCH = REST_PATCH(config);
export const POST = REST_POST(config);
`,
    'payload.config.ts': CONFIG,
    'content.json': JSON.stringify({
      authors: names('Author', AUTHORS),
      categories: names('Category', CATEGORIES),
      articles: articles(),
    }),
    'load.ts': LOAD,
  };
}

const exported = (expression: string) => `export default ${expression};\n`;

const CONFIG = `import { sqliteAdapter } from '@payloadcms/db-sqlite';
import { buildConfig } from 'payload';
const access = { read: () => true };
const text = (name: string) => ({ name, type: 'text' as const });
const config = buildConfig({
  secret: 'a-secret-for-the-benchmark-0123456789',
  telemetry: false,
  graphQL: { disable: true },
  db: sqliteAdapter({ client: { url: 'file:./data.db' } }),
  admin: { user: 'users' },
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
  ],
});
${exported('config')}`;

/** Makes the tables as Payload does in development, and the items through its local API. */
const LOAD = `import { readFileSync } from 'node:fs';
import config from '@payload-config';
import { getPayload } from 'payload';
const payload = await getPayload({ config });
const { authors, categories, articles } = JSON.parse(readFileSync('content.json', 'utf8'));
await payload.create({ collection: 'users', data: { email: '${EMAIL}', password: '${PASSWORD}' } });
const create = async (collection, data) => (await payload.create({ collection, data, depth: 0 })).id;
const authorIds = [];
for (const name of authors) authorIds.push(await create('author', { name }));
const categoryIds = [];
for (const name of categories) categoryIds.push(await create('category', { name }));
for (const { author, category, ...rest } of articles)
  await create('article', { ...rest, author: authorIds[author], category: categoryIds[category] });
process.exit(0);
`;
