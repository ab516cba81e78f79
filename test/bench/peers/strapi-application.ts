import { FORM_TEXTS } from './content.ts';

export const EMAIL = 'ada@example.com';
export const PASSWORD = 'Correct horse battery staple 1';

/** The files of a Strapi project, by path: what its own generator writes, in JavaScript, with the types. */
export function applicationFiles(): Record<string, string> {
  return {
    'config/server.js': exported(
      `{ host: '127.0.0.1', port: Number(process.env.PORT), app: { keys: ['${SECRET}', 'b${SECRET}'] } }`,
    ),
    'config/admin.js': exported(
      `{ auth: { secret: '${SECRET}' }, apiToken: { salt: '${SECRET}' },
      transfer: { token: { salt: '${SECRET}' } }, secrets: { encryptionKey: '${SECRET}' } }`,
    ),
    'config/database.js': exported(
      `{ connection: { client: 'sqlite', connection: { filename: 'data.db' }, useNullAsDefault: true } }`,
    ),
    'config/plugins.js': exported(`{ 'users-permissions': { config: { jwtSecret: '${SECRET}' } } }`),
    'config/api.js': exported('{ rest: { defaultLimit: 25, maxLimit: 100, withCount: true } }'),
    'config/middlewares.js': exported(
      JSON.stringify(
        [
          'logger',
          'errors',
          'security',
          'cors',
          'poweredBy',
          'query',
          'body',
          'session',
          'favicon',
          'public',
        ].map((name) => `strapi::${name}`),
      ),
    ),
    'src/index.js': BOOTSTRAP,
    'public/uploads/.gitkeep': '',
    ...type('author', 'authors', { name: { type: 'string' } }),
    ...type('category', 'categories', { name: { type: 'string' } }),
    ...type('article', 'articles', {
      title: { type: 'string' },
      slug: { type: 'string', unique: true },
      summary: { type: 'text' },
      body: { type: 'text' },
      rank: { type: 'integer' },
      author: { type: 'relation', relation: 'oneToOne', target: 'api::author.author' },
      category: { type: 'relation', relation: 'oneToOne', target: 'api::category.category' },
    }),
    ...type('form', 'forms', {
      ...Object.fromEntries(
        Array.from({ length: FORM_TEXTS }, (_, index) => [`text_${index}`, { type: 'string' }]),
      ),
      body: { type: 'blocks' },
    }),
  };
}

const SECRET = 'c2VjcmV0LW9mLXRoZS1iZW5jaG1hcms=';

const exported = (expression: string) => `module.exports = () => (${expression});\n`;

function type(one: string, many: string, attributes: object): Record<string, string> {
  const folder = `src/api/${one}`;
  const schema = {
    kind: 'collectionType',
    collectionName: many,
    info: { singularName: one, pluralName: many, displayName: one },
    options: { draftAndPublish: true },
    attributes,
  };
  const core = (kind: string) =>
    `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::${one}.${one}');\n`;
  return {
    [`${folder}/content-types/${one}/schema.json`]: JSON.stringify(schema),
    [`${folder}/controllers/${one}.js`]: core('Controller'),
    [`${folder}/services/${one}.js`]: core('Service'),
    [`${folder}/routes/${one}.js`]: core('Router'),
  };
}

/** At the first start: everybody may read, an administrator is created, and a token with full access is written to a file. */
const BOOTSTRAP = `const { existsSync, writeFileSync } = require('node:fs');
module.exports = {
  register() {},
  async bootstrap({ strapi }) {
    if (existsSync('token')) return;
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: 'public' } });
    for (const type of ['article', 'author', 'category', 'form'])
      for (const action of ['find', 'findOne'])
        await strapi.db.query('plugin::users-permissions.permission').create({
          data: { action: \`api::\${type}.\${type}.\${action}\`, role: role.id },
        });
    const { accessKey } = await strapi.service('admin::api-token').create({
      name: 'bench', description: '', type: 'full-access', lifespan: null,
    });
    const administrator = await strapi.service('admin::role').getSuperAdmin();
    await strapi.service('admin::user').create({
      email: '${EMAIL}', firstname: 'Ada', lastname: 'Ada', password: '${PASSWORD}',
      isActive: true, registrationToken: null, roles: [administrator.id],
    });
    writeFileSync('token', accessKey);
  },
};
`;
