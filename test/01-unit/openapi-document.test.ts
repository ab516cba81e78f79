import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { coreOpenapi } from '../../core/compose/openapi.ts';
import { deliveryOpenapi } from '../../core/delivery/openapi.ts';
import { applyBaseUrls } from '../../plugins/docs/apply-base-urls.ts';
import { gatewayOpenapi } from '../../plugins/docs/gateway-openapi.ts';
import { mergeDocuments } from '../../plugins/docs/merge-documents.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly object[];
  readonly responses: Record<string, Record<string, unknown>>;
}
interface Document {
  readonly openapi: string;
  readonly servers?: readonly { url: string }[];
  readonly tags: readonly { name: string }[];
  readonly paths: Record<string, { 'x-surface': string; servers?: { url: string }[]; get: Operation }>;
  readonly components: Record<string, Record<string, object>>;
}

const vendor = { header: 'ACME', mediaType: 'acme' };
const whole = () => mergeDocuments(coreOpenapi(vendor), gatewayOpenapi());
const bases = (base: string) =>
  Object.fromEntries(
    ['delivery', 'preview', 'manage', 'assets', 'admin', 'console', 'docs', 'health', 'metrics'].map(
      (name) => [name, `${base}/${name}`],
    ),
  );
const typed = (document: unknown) => document as Document;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const operations = (document: Document) =>
  Object.values(document.paths).flatMap((item) =>
    Object.entries(item).flatMap(([key, operation]) =>
      METHODS.includes(key) ? [operation as Operation] : [],
    ),
  );

describe('The OpenAPI document', () => {
  for (const [title, make] of [
    ['of core', () => coreOpenapi(vendor)],
    ['of the whole service', whole],
    ['as it is served', () => applyBaseUrls(whole(), bases('https://api.example.org/content'))],
  ] as const) {
    it(`${title} is valid OpenAPI 3.1`, async () => {
      const result = await new Validator().validate(structuredClone(make()));
      expect(result.errors ?? []).to.deep.equal([]);
      expect(result.valid).to.equal(true);
    });

    it(`${title} has no broken reference, and no unused component`, () => {
      const document = make();
      const used = new Set<string>();
      JSON.stringify(document, (key, value) => {
        if (key === '$ref') used.add(value as string);
        return value as unknown;
      });
      for (const pointer of used) expect(at(document, pointer), pointer).to.be.an('object');
      const components = Object.entries(typed(document).components).filter(
        ([kind]) => kind !== 'securitySchemes',
      );
      const defined = components.flatMap(([kind, entries]) =>
        Object.keys(entries).map((name) => `#/components/${kind}/${name}`),
      );
      // Answers to calls that are not in the document.
      const loose = ['#/components/responses/MethodNotAllowed'];
      expect(defined.filter((pointer) => !used.has(pointer) && !loose.includes(pointer))).to.deep.equal([]);
    });
  }

  it('gives every operation a unique id, a summary, a known tag, security and error answers', () => {
    const document = typed(whole());
    const ids = operations(document).map((operation) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    const tags = document.tags.map((tag) => tag.name);
    for (const operation of operations(document)) {
      expect(operation.summary, operation.operationId).to.match(/^[A-Z].{5,}[^.]$/);
      expect(tags, operation.operationId).to.include.members([...operation.tags]);
      expect(operation.security, operation.operationId).not.to.equal(undefined);
      const statuses = Object.keys(operation.responses);
      expect(statuses, operation.operationId).to.include.members(['404', '500']);
      expect(statuses.some((status) => status.startsWith('2'))).to.equal(true);
    }
  });

  it('describes the same calls for delivery and preview, the latter only with a key', () => {
    const { paths } = typed(deliveryOpenapi(vendor));
    const below = (surface: string) =>
      Object.keys(paths)
        .filter((path) => path.startsWith(`/${surface}/`))
        .map((path) => path.slice(surface.length + 1));
    expect(below('delivery')).to.have.length(9);
    expect(below('preview')).to.deep.equal(below('delivery'));
    for (const path of below('preview')) {
      expect(paths[`/preview${path}`]!.get.security).to.deep.equal([{ previewKey: [] }]);
      expect(paths[`/delivery${path}`]!.get.security).to.deep.equal([{}, { deliveryKey: [] }]);
    }
  });

  it('uses the vendor names of the installation', () => {
    const text = JSON.stringify(deliveryOpenapi(vendor));
    expect(text).to.include('X-ACME-Wait-For-Loading-New-Content');
    expect(text).to.include('application/acme');
    expect(text).not.to.include('X-SVC-');
  });

  it('describes every error code of the delivery API with an example that fits its schema', () => {
    const responses = typed(deliveryOpenapi(vendor)).components['responses'] as Record<
      string,
      { content?: { 'application/json': { examples: Record<string, { value: { error_code: number } }> } } }
    >;
    const codes = Object.values(responses).flatMap((response) =>
      Object.values(response.content?.['application/json'].examples ?? {}).map(
        ({ value }) => value.error_code,
      ),
    );
    expect([...new Set(codes)].sort((a, b) => a - b)).to.deep.equal([
      0, 1, 2, 3, 4, 100, 101, 102, 104, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010,
      1011, 10000, 10001,
    ]);
  });

  it('accepts its own filter examples, one for each operator', () => {
    const filter = typed(deliveryOpenapi(vendor)).components['parameters']!['Filter'] as unknown as {
      schema: { propertyNames: { pattern: string } };
      examples: Record<string, { value: Record<string, string> }>;
    };
    const pattern = new RegExp(filter.schema.propertyNames.pattern);
    expect(Object.keys(filter.examples)).to.have.length(15);
    for (const [operator, { value }] of Object.entries(filter.examples)) {
      const name = Object.keys(value)[0]!;
      expect(name, operator).to.match(pattern);
      if (operator !== 'equal') expect(name).to.include(`[${operator}]`);
    }
    for (const name of ['system.secret', 'elements.price[like]', 'elements', 'elements.a.b']) {
      expect(name).not.to.match(pattern);
    }
  });
});

describe('Paths of the surfaces in the document', () => {
  it('are the prefixes of the request', () => {
    const document = typed(applyBaseUrls(whole(), bases('http://127.0.0.1:8080')));
    expect(document.servers).to.deep.equal([{ url: 'http://127.0.0.1:8080' }]);
    expect(Object.keys(document.paths)).to.include.members([
      '/delivery/{project_id}/items',
      '/preview/{project_id}/items',
      '/assets/{project_id}/{file_id}/{file_name}',
      '/health',
      '/docs/openapi.json',
    ]);
  });

  it('follow public URLs, whose hosts become servers of the path', () => {
    const own = { ...bases('https://example.org'), delivery: 'https://cdn.example.org/content' };
    const document = typed(applyBaseUrls(whole(), own));
    const item = document.paths['/content/{project_id}/items']!;
    expect(item.servers!.map((server) => server.url)).to.deep.equal(['https://cdn.example.org']);
    expect(document.paths['/preview/{project_id}/items']!.servers).to.equal(undefined);
  });

  it('make one path with two servers where only the host differs', async () => {
    const own = {
      ...bases('https://example.org'),
      delivery: 'https://deliver.example.org',
      preview: 'https://preview.example.org',
    };
    const placed = applyBaseUrls(whole(), own);
    const item = typed(placed).paths['/{project_id}/items']!;
    expect(item.servers!.map((server) => server.url)).to.deep.equal([
      'https://deliver.example.org',
      'https://preview.example.org',
    ]);
    expect(item.get.security).to.deep.equal([{}, { deliveryKey: [] }, { previewKey: [] }]);
    expect((await new Validator().validate(structuredClone(placed))).valid).to.equal(true);
  });
});

function at(document: unknown, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce(
      (value, part) => (value as Record<string, unknown>)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
}
