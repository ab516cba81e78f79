/**
 * OpenAPI 3.1 document of what readers call: delivery, preview and the files of assets. Paths start with the
 * name of their surface, because two surfaces answer the same paths; the gateway, which knows the real
 * prefixes and hosts, puts those in and adds `servers`.
 */
import { assetsOpenapi } from '../files/openapi.ts';
import { errorResponses, errorsOf } from '../http/openapi-errors.ts';
import { deliveryHeaders, deliveryParameters } from './openapi-parameters.ts';
import { deliverySchemas } from './openapi-schemas.ts';

type Json = Record<string, unknown>;

interface Call {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly string[];
  readonly schema: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly missing?: string;
}

const paging = ['Skip', 'Limit', 'IncludeTotalCount'];

const calls: readonly Call[] = [
  {
    path: '/items',
    id: 'listItems',
    summary: 'List content items',
    description: 'Items that match the filters, with the items they link to in `modular_content`.',
    parameters: ['Filter', 'Language', 'Elements', 'Depth', 'Order', ...paging],
    schema: 'ItemListing',
  },
  {
    path: '/items/{codename}',
    id: 'getItem',
    summary: 'Read a content item',
    parameters: ['ItemCodename', 'Filter', 'Language', 'Elements', 'Depth'],
    schema: 'ItemAnswer',
  },
  {
    path: '/items-feed',
    id: 'feedItems',
    summary: 'Read all items in parts',
    description:
      'Every matching item, by codename unless told, part by part: repeat the call with the `X-Continuation` of ' +
      'the answer until there is none. `modular_content` holds components only.',
    parameters: ['Filter', 'Language', 'Elements', 'Order', 'Continuation'],
    schema: 'ItemFeed',
    headers: { 'X-Continuation': 'Continuation' },
  },
  {
    path: '/types',
    id: 'listTypes',
    summary: 'List content types',
    parameters: ['Elements', ...paging],
    schema: 'TypeListing',
  },
  {
    path: '/types/{codename}',
    id: 'getType',
    summary: 'Read a content type',
    parameters: ['TypeCodename', 'Elements'],
    schema: 'Type',
  },
  {
    path: '/types/{type_codename}/elements/{element_codename}',
    id: 'getTypeElement',
    summary: 'Read an element of a content type',
    parameters: ['TypeOfElement', 'ElementCodename'],
    schema: 'ElementView',
  },
  {
    path: '/taxonomies',
    id: 'listTaxonomies',
    summary: 'List taxonomy groups',
    parameters: paging,
    schema: 'TaxonomyListing',
  },
  {
    path: '/taxonomies/{codename}',
    id: 'getTaxonomy',
    summary: 'Read a taxonomy group',
    parameters: ['TaxonomyCodename'],
    schema: 'Taxonomy',
  },
  {
    path: '/languages',
    id: 'listLanguages',
    summary: 'List languages',
    parameters: paging,
    schema: 'LanguageListing',
  },
];

const surfaces = [
  {
    name: 'delivery',
    tag: 'Delivery',
    id: (id: string) => id,
    security: [{}, { deliveryKey: [] }],
    note: 'Published content.',
  },
  {
    name: 'preview',
    tag: 'Preview',
    id: (id: string) => `preview${id[0]!.toUpperCase()}${id.slice(1)}`,
    security: [{ previewKey: [] }],
    note: 'Latest versions, published or not; needs a key.',
  },
] as const;

type ReadSurface = (typeof surfaces)[number];

/**
 * The document without `servers`; every path starts with `/<surface>/` and carries `x-surface`.
 * @param vendor `header`: the `SVC` of `X-SVC-…` header names; `mediaType`: the `service` of
 *   `application/service` in rich text.
 */
export function deliveryOpenapi(vendor: { header: string; mediaType: string }): Record<string, unknown> {
  const assets = assetsOpenapi();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Headwater',
      version: '1.0.0',
      summary: 'Content delivery, preview and asset files.',
      description: [
        'Read-only JSON over published content (delivery) and latest versions (preview), and the files of assets.',
        '',
        'Every GET can be asked as HEAD. Unknown query parameters are ignored. Bodies are compressed when the',
        'client accepts it. A client that got an `ETag` may send it as `If-None-Match` and gets 304 while nothing changed.',
      ].join('\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [...surfaces.map((surface) => ({ name: surface.tag, description: surface.note })), ...assets.tags],
    paths: {
      ...Object.fromEntries(surfaces.flatMap((surface) => calls.map((call) => pathItem(surface, call)))),
      ...assets.paths,
    },
    components: {
      schemas: deliverySchemas(vendor.mediaType),
      parameters: { ...deliveryParameters(vendor.header), ...assets.parameters },
      headers: deliveryHeaders(),
      responses: { ...errorResponses(), NotModified: notModified },
      securitySchemes: {
        deliveryKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Delivery key of the project; asked for only while secure access is on.',
        },
        previewKey: { type: 'http', scheme: 'bearer', description: 'Preview key of the project.' },
      },
    },
  };
}

function pathItem(surface: ReadSurface, call: Call): [string, Json] {
  return [
    `/${surface.name}/{project_id}${call.path}`,
    {
      'x-surface': surface.name,
      parameters: [ref('parameters', 'ProjectId')],
      get: {
        operationId: surface.id(call.id),
        summary: call.summary,
        ...(call.description !== undefined && { description: call.description }),
        tags: [surface.tag],
        security: surface.security,
        parameters: [...call.parameters, 'WaitForNewContent', 'IfNoneMatch'].map((name) =>
          ref('parameters', name),
        ),
        responses: {
          200: {
            description: 'The answer.',
            headers: {
              'X-Request-ID': ref('headers', 'RequestId'),
              ETag: ref('headers', 'ETag'),
              'X-Stale-Content': ref('headers', 'StaleContent'),
              ...Object.fromEntries(
                Object.entries(call.headers ?? {}).map(([name, header]) => [name, ref('headers', header)]),
              ),
            },
            content: { 'application/json': { schema: ref('schemas', call.schema) } },
          },
          304: ref('responses', 'NotModified'),
          ...errorsOf('BadRequest', 'Unauthorized', 'NotFound'),
        },
      },
    },
  ];
}

const notModified: Json = {
  description: 'The client has the current answer.',
  headers: {
    'X-Request-ID': { $ref: '#/components/headers/RequestId' },
    ETag: { $ref: '#/components/headers/ETag' },
  },
};

function ref(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}
