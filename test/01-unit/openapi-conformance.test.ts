import { expect } from 'chai';
import { type Answer, conforms, type DocumentedSurface } from '../support/clients/openapi-conformance.ts';

const PROJECT = '8d20758c-d74c-4f59-ae04-ee928c0816b7';
const ID = '335d17ac-b6ba-4c6a-ae31-23c1193215cb';
const system = {
  id: ID,
  name: 'Harbour',
  codename: 'harbour',
  language: 'en-US',
  type: 'article',
  sitemap_locations: [],
  last_modified: '2026-05-01T10:00:00.1234567Z',
};
const elements = {
  title: { type: 'text', name: 'Title', value: 'Harbour' },
  body: {
    type: 'rich_text',
    name: 'Body',
    images: { [ID]: { image_id: ID, description: 'A pier', url: 'https://example.org/a.jpg' } },
    links: { [ID]: { codename: 'home', type: 'page', url_slug: '' } },
    modular_content: ['n1c0ffee'],
    value: '<p><br></p>',
  },
  price: { type: 'number', name: 'Price', value: null },
  opened: { type: 'date_time', name: 'Opened', value: '2026-05-01T10:00:00Z' },
  kind: { type: 'multiple_choice', name: 'Kind', value: [{ name: 'Pier', codename: 'pier' }] },
  region: { type: 'taxonomy', name: 'Region', taxonomy_group: 'regions', value: [] },
  related: { type: 'modular_content', name: 'Related', value: ['home'] },
  photo: {
    type: 'asset',
    name: 'Photo',
    value: [
      { name: 'a.jpg', type: 'image/jpeg', size: 1, description: null, url: 'https://example.org/a.jpg' },
    ],
  },
  slug: { type: 'url_slug', name: 'Slug', value: '' },
  seo__colour: { type: 'custom', name: 'Colour', value: null },
};
const pagination = { skip: 0, limit: 0, count: 1, next_page: '' };
const listing = { items: [{ system, elements }], modular_content: {}, pagination };

function answer(path: string, status: number, body: unknown, more: Partial<Answer> = {}): Answer {
  return {
    method: 'GET',
    url: `http://127.0.0.1:1/delivery/${PROJECT}${path}`,
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r1', etag: '"a"' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  };
}
const failure = (code: number, requestId = 'r1') => ({
  message: 'Something is wrong.',
  request_id: requestId,
  error_code: code,
  specific_code: 0,
});
const check =
  (given: Answer, surface: DocumentedSurface = 'delivery') =>
  () =>
    conforms(given, surface);

describe('Conformance of answers', () => {
  it('accepts a listing with every kind of element', () => {
    expect(check(answer('/items?system.type[in]=a,b', 200, listing))).not.to.throw();
  });

  it('finds the operation by prefix and by host, with doubled and trailing slashes', () => {
    for (const url of [
      `http://x/delivery/${PROJECT}/items`,
      `http://deliver.localhost/${PROJECT}/items`,
      `http://x/delivery//${PROJECT}/items/`,
    ]) {
      expect(check(answer('', 200, listing, { url })), url).not.to.throw();
    }
  });

  it('reports what is wrong in a body, and where', () => {
    const wrong = structuredClone(listing) as unknown as { items: { system: object; elements: object }[] };
    Object.assign(wrong.items[0]!.system, { collection: 'default' });
    Object.assign(wrong.items[0]!.elements, { price: { type: 'number', name: 'Price', value: '12' } });
    expect(check(answer('/items', 200, wrong)))
      .to.throw(Error, /items\/0\/system: .*"collection"/)
      .with.property('message')
      .which.matches(/items\/0\/elements\/price\/value: must be number,null/);
  });

  it('refuses an element of an unknown kind, a wrong time and a missing key', () => {
    for (const [key, value] of [
      ['title', { type: 'texts', name: 'Title', value: '' }],
      ['title', { type: 'text', name: 'Title' }],
      ['opened', { type: 'date_time', name: 'Opened', value: '2026-05-01T10:00:00.000Z' }],
    ] as const) {
      const body = { ...listing, items: [{ system, elements: { ...elements, [key]: value } }] };
      expect(check(answer('/items', 200, body)), JSON.stringify(value)).to.throw(/items\/0\/elements/);
    }
  });

  it('refuses an answer without a required header, and one of another media type', () => {
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r1' };
    expect(check(answer('/items', 200, listing, { headers }))).to.throw('header ETag is missing');
    const weak = { ...headers, etag: 'W/"a"' };
    expect(check(answer('/items', 200, listing, { headers: weak }))).to.throw('header ETag');
    const html = { ...headers, etag: '"a"', 'content-type': 'text/html' };
    expect(check(answer('/items', 200, listing, { headers: html }))).to.throw('content-type is "text/html"');
    expect(check(answer('/items', 200, '{'))).to.throw('not JSON');
  });

  it('accepts errors with the codes of their status only, under the request id of the header', () => {
    expect(check(answer('/items/none', 404, failure(100)))).not.to.throw();
    expect(check(answer('/items?limit=0', 400, failure(1005)))).not.to.throw();
    expect(check(answer('/items/none', 404, failure(1005)))).to.throw('error_code');
    expect(check(answer('/items/none', 404, failure(100, 'r2')))).to.throw('X-Request-ID is "r1"');
    expect(check(answer('/items/none', 404, { ...failure(100), stack: '…' }))).to.throw('"stack"');
  });

  it('refuses statuses and operations that are not documented', () => {
    expect(check(answer('/items', 201, listing))).to.throw('status 201 is not documented');
    expect(check(answer('/secrets', 200, listing))).to.throw('is not documented');
    expect(check(answer('/items', 200, listing, { method: 'POST' }))).to.throw('is not documented');
  });

  it('accepts the documented refusals of unknown paths and methods', () => {
    expect(check(answer('/secrets', 404, failure(1)))).not.to.throw();
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r1', allow: 'GET, HEAD' };
    expect(check(answer('/items', 405, failure(2), { method: 'POST', headers }))).not.to.throw();
    expect(check(answer('/items', 405, failure(2), { method: 'POST' }))).to.throw('header Allow is missing');
    expect(check(answer('/items', 404, failure(1), { method: 'POST' }))).to.throw('should be 405');
  });

  it('expects no body with HEAD and 304', () => {
    expect(check(answer('/items', 200, '', { method: 'HEAD' }))).not.to.throw();
    expect(check(answer('/items', 304, ''))).not.to.throw();
    expect(check(answer('/items', 304, listing))).to.throw('has a body');
  });

  it('knows the answers of the gateway itself', () => {
    const health = answer('', 200, { status: 'ok' }, { url: 'http://x/health/live' });
    expect(check(health, 'health')).not.to.throw();
    const refused = answer(
      '',
      404,
      { request_id: 'r1', error_code: 1, message: 'No.' },
      { url: 'http://x/health/x' },
    );
    expect(check(refused, 'health')).not.to.throw();
    const nothing = answer('', 404, failure(1), { url: 'http://x/elsewhere' });
    expect(check(nothing, 'none')).not.to.throw();
  });
});
