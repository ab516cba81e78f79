import { expect } from 'chai';
import { coreOpenapi } from '../../core/compose/openapi.ts';
import { consoleOpenapi } from '../../core/console/openapi.ts';

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly servers: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly takesKey: boolean;
  readonly needsKey: boolean;
}
interface Line {
  readonly depth: number;
  readonly name: string;
  readonly type: string;
}
interface DescriptionModule {
  operationsOf(description: unknown): Operation[];
  entriesOf(operations: Operation[]): { summary: string; operations: Operation[] }[];
  bodyOf(description: unknown, operation: unknown): { type: string; example?: string } | undefined;
  responsesOf(description: unknown, operation: Operation): { status: string; examples: unknown[] }[];
  outline(description: unknown, schema: unknown): Line[];
}
interface RequestModule {
  curlOf(request: { method: string; url: string; headers: Record<string, string>; key: string }): string;
}
interface FilterModule {
  encodeValue(text: string): string;
}

/** The modules run in a browser unchanged, so they have no types. */
const load = async <Module>(name: string) =>
  (await import(new URL(`../../plugins/docs/page/${name}`, import.meta.url).href)) as Module;

describe('The explorer page', () => {
  const description = coreOpenapi({ header: 'SVC', mediaType: 'service' });

  before(() => {
    Object.assign(globalThis, { location: { origin: 'http://127.0.0.1:8080' } });
  });
  after(() => {
    Reflect.deleteProperty(globalThis, 'location');
  });

  it('finds every operation with its parameters, references followed', async () => {
    const { operationsOf } = await load<DescriptionModule>('description.mjs');
    const operations = operationsOf(description);
    expect(operations).to.have.length(JSON.stringify(description).match(/"operationId":/g)!.length);
    const listItems = operations.find((operation) => operation.id === 'listItems')!;
    expect(listItems.path).to.equal('/delivery/{project_id}/items');
    expect(listItems.servers).to.deep.equal(['http://127.0.0.1:8080']);
    expect(listItems.parameters.map((parameter) => parameter.name)).to.include.members([
      'project_id',
      'filter',
      'limit',
      'X-SVC-Wait-For-Loading-New-Content',
    ]);
    expect([listItems.takesKey, listItems.needsKey]).to.deep.equal([true, false]);
    const preview = operations.find((operation) => operation.id === 'previewListItems')!;
    expect([preview.takesKey, preview.needsKey]).to.deep.equal([true, true]);
  });

  it('asks for no key where the browser sends the cookie of the console', async () => {
    const { operationsOf } = await load<DescriptionModule>('description.mjs');
    const { takesKey, needsKey } = operationsOf(consoleOpenapi()).find(({ path }) =>
      path.endsWith('/sessions'),
    )!;
    expect([takesKey, needsKey]).to.deep.equal([false, false]);
  });

  it('lists an operation once, whatever the number of its paths, v2 before v1', async () => {
    const { operationsOf, entriesOf } = await load<DescriptionModule>('description.mjs');
    const path = (summary: string) => ({ get: { summary, operationId: summary, tags: ['Content'] } });
    const paths = {
      '/v1/items/{id}': path('Read an item'),
      '/v1/types': path('List types'),
      '/v2/items/{id}': path('Read an item'),
      '/v2/items/codename/{codename}': path('Read an item'),
    };
    const entries = entriesOf(operationsOf({ paths }));
    expect(entries.map(({ operations }) => operations.map((operation) => operation.path))).to.deep.equal([
      ['/v2/items/{id}', '/v2/items/codename/{codename}', '/v1/items/{id}'],
      ['/v1/types'],
    ]);
  });

  it('starts a JSON body from what the schema requires, and other bodies from a file', async () => {
    const { bodyOf } = await load<DescriptionModule>('description.mjs');
    const node = {
      type: 'object',
      required: ['name', 'kind', 'children'],
      properties: {
        name: { type: 'string' },
        note: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
      },
    };
    const components = { schemas: { Node: node } };
    const json = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } };
    const { type, example } = bodyOf({ components }, { requestBody: json })!;
    expect(type).to.equal('application/json');
    expect(JSON.parse(example!)).to.deep.equal({ name: '', kind: 'a', children: [{}] });
    expect(bodyOf({}, { requestBody: { content: { '*/*': { schema: {} } } } })).to.deep.equal({
      type: '*/*',
    });
    expect(bodyOf({}, {})).to.equal(undefined);
  });

  it('shows the codes of every error status', async () => {
    const { operationsOf, responsesOf } = await load<DescriptionModule>('description.mjs');
    const operation = operationsOf(description).find(({ id }) => id === 'getItem')!;
    const missing = responsesOf(description, operation).find(({ status }) => status === '404')!;
    expect(missing.examples.map((example) => (example as { error_code: number }).error_code)).to.include(100);
  });

  it('renders recursive schemas once only', async () => {
    const { outline } = await load<DescriptionModule>('description.mjs');
    const lines = outline(description, { $ref: '#/components/schemas/Taxonomy' });
    expect(lines.map((line) => line.name)).to.include.members(['system', 'codename', 'terms']);
    expect(lines.filter((line) => line.type === 'Term')).to.have.length(1);
    expect(outline(description, { $ref: '#/components/schemas/ItemListing' }).length).to.be.lessThan(150);
  });

  it('writes curl lines that a shell reads correctly, without the key', async () => {
    const { curlOf } = await load<RequestModule>('answer-view.mjs');
    const line = curlOf({
      method: 'GET',
      url: "http://x/items?elements.title=it's&system.type[in]=a,b",
      headers: { 'X-A': '1' },
      key: 'secret',
    });
    expect(
      curlOf({ method: 'POST', url: 'http://x/', headers: {}, key: '', body: `{"a":"it's"}` } as never),
    ).to.equal(`curl -g -i -X POST 'http://x/' --data-binary '{"a":"it'\\''s"}'`);
    expect(line).to.equal(
      `curl -g -i 'http://x/items?elements.title=it'\\''s&system.type[in]=a,b' -H 'X-A: 1' -H "Authorization: Bearer $KEY"`,
    );
  });

  it('escapes filter values, but leaves commas and colons readable', async () => {
    const { encodeValue } = await load<FilterModule>('filter-builder.mjs');
    expect(encodeValue('a,b')).to.equal('a,b');
    expect(encodeValue('2026-05-01T10:00:00Z')).to.equal('2026-05-01T10:00:00Z');
    expect(encodeValue('a&b=c+d #é')).to.equal('a%26b%3Dc%2Bd%20%23%C3%A9');
  });
});
