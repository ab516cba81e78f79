import { request as send } from 'node:http';
import { expect } from 'chai';
import {
  type ErrorBody,
  type HarbourService,
  type Listing,
  startHarbour,
} from '../support/projects/harbour-service.ts';

/** Section or reason, path and query, status, error code. */
type Row = readonly [why: string, request: string, status: number, code: number];

const QUERIES: readonly Row[] = [
  ['spec 7', '/items?limit=0', 400, 1005],
  ['spec 7', '/items?limit=-1', 400, 1005],
  ['spec 7', '/items?limit=abc', 400, 1005],
  ['spec 7', '/items?limit=1.5', 400, 1005],
  ['spec 7', '/items?limit=', 400, 1005],
  ['spec 7', '/items?limit=1e3', 400, 1005],
  ['spec 7', '/items?limit=0x10', 400, 1005],
  ['spec 4.1: int32', '/items?limit=2147483648', 400, 1005],
  ['spec 4.1: int32', '/items?limit=99999999999999999999', 400, 1005],
  ['spec 7', '/types?limit=0', 400, 1005],
  ['spec 7', '/taxonomies?limit=none', 400, 1005],
  ['spec 7', '/items?skip=-1', 400, 1006],
  ['spec 7', '/items?skip=abc', 400, 1006],
  ['spec 4.1: int32', '/items?skip=2147483648', 400, 1006],
  ['spec 7', '/types?skip=-1', 400, 1006],
  ['spec 7', '/items?depth=-1', 400, 1006],
  ['spec 7', '/items?depth=deep', 400, 1006],
  ['spec 4.1: int32', '/items/lighthouse?depth=2147483648', 400, 1006],
  ['spec 7', '/items?elements.price[range]=1', 400, 1000],
  ['spec 7', '/items?elements.price[range]=1,2,3', 400, 1000],
  ['spec 7', '/items?elements.price[range]=', 400, 1000],
  ['spec 7', '/items?elements=', 400, 1001],
  ['spec 7', '/items?elements=title,,price', 400, 1001],
  ['spec 7', '/items?elements', 400, 1001],
  ['spec 7', '/items?system.type[like]=art', 400, 1002],
  ['spec 7', '/items?elements.title[]=x', 400, 1002],
  ['spec 7', '/items?elements.title[GT]=x', 400, 1002],
  ['spec 7', '/items?elements.title[in=x', 400, 1002],
  ['spec 7', '/items?limit=1&limit=2', 400, 1003],
  ['spec 7', '/items?skip=1&skip=1', 400, 1003],
  ['spec 7', '/items?language=de-DE&language=en-US', 400, 1003],
  ['spec 7', '/items?elements=title&elements=price', 400, 1003],
  ['spec 7', '/items?depth=1&depth=1', 400, 1003],
  ['spec 7', '/items?limit[lt]=3', 400, 1004],
  ['spec 7', '/items?elements[contains]=title', 400, 1004],
  ['spec 7', '/items?order[asc]=system.name', 400, 1004],
  ['spec 7', '/items?order=system.name[up]', 400, 1007],
  ['spec 7', '/items?order=elements.title[]', 400, 1007],
  ['spec 7', '/items?order=title[asc]', 400, 1008],
  ['spec 7', '/items?order=', 400, 1008],
  ['spec 7', '/items?order=system.unknown[asc]', 400, 1008],
  ['spec 7', '/items?order=system.name[asc],system.id[asc]', 400, 1009],
  ['spec 7', '/items?order=system.name[asc]&order=system.id[asc]', 400, 1009],
  ['broken percent-encoding', '/items?system.name=%E0%A4%A', 400, 2],
  ['broken percent-encoding', '/items?system.name=%', 400, 2],
  ['null bytes', '/items?system.name=a%00b', 400, 2],
];

const PATHS: readonly Row[] = [
  ['spec 7', '/items/unknown', 404, 100],
  ['spec 7: unpublished', '/items/hidden', 404, 100],
  ['spec 7: case counts', '/items/Lighthouse', 404, 100],
  ['null bytes', '/items/%00', 400, 2],
  ['spec 7', '/types/unknown', 404, 101],
  ['spec 7', '/types/article/elements/unknown', 404, 102],
  ['spec 7', '/types/article/elements/meta_title', 404, 102],
  ['spec 7', '/types/unknown/elements/title', 404, 101],
  ['spec 7', '/taxonomies/unknown', 404, 104],
  ['spec 7', '/unknown', 404, 1],
  ['spec 7', '/items/lighthouse/more', 404, 1],
  ['spec 7', '/types/article/title', 404, 1],
  ['broken percent-encoding', '/items/%E0%A4%A', 400, 2],
];

describe('delivery: errors', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  for (const [why, request, status, code] of [...QUERIES, ...PATHS]) {
    it(`${request} is ${status} with code ${code} (${why})`, async () => {
      const answer = await service.delivery.get<ErrorBody>(request);
      expect([answer.status, answer.body.error_code]).to.deep.equal([status, code]);
      expect(Object.keys(answer.body)).to.deep.equal([
        'message',
        'request_id',
        'error_code',
        'specific_code',
      ]);
      expect(answer.body.specific_code).to.equal(0);
      expect(answer.body.message).to.be.a('string').and.not.equal('');
      expect(answer.body.request_id).to.equal(answer.headers.get('x-request-id'));
      expect(answer.headers.get('content-type')).to.match(/^application\/json/);
      expect(answer.text).not.to.match(/SQLITE|node_modules|at .*\.ts|\/work\//);
    });
  }

  it('is 404 for an unknown project, on every path (spec 7)', async () => {
    for (const project of ['00000000-0000-4000-8000-000000000000', 'no-guid', '%F0%9F%98%80']) {
      for (const path of ['/items', '/types', '/items/lighthouse', '/nothing']) {
        const answer = await fetch(`${service.service.url}/delivery/${project}${path}`);
        expect(answer.status, `${project}${path}`).to.equal(404);
        expect(((await answer.json()) as ErrorBody).request_id).to.be.a('string');
      }
    }
  });

  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    for (const path of ['/items', '/items/lighthouse', '/types', '/taxonomies/topics']) {
      it(`${method} ${path} is 405 with Allow (spec 7)`, async () => {
        const answer = await service.delivery.request<ErrorBody>(method, path);
        expect([answer.status, answer.body.error_code]).to.deep.equal([405, 2]);
        expect(answer.headers.get('allow')!.split(/, */)).to.include.members(['GET', 'HEAD']);
      });
    }
  }

  it('answers HEAD as GET, without the body', async () => {
    for (const path of ['/items?limit=2', '/items/lighthouse', '/types', '/items/unknown']) {
      const [get, head] = [await service.delivery.get(path), await service.delivery.request('HEAD', path)];
      expect(head.status).to.equal(get.status);
      expect(head.text).to.equal('');
      for (const name of ['content-type', 'etag'])
        expect(head.headers.get(name), name).to.equal(get.headers.get(name));
    }
  });

  it('answers the preflight of a browser before anything else', async () => {
    const answer = await fetch(`${service.service.url}/preview/${service.project.id}/items`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://site.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization,x-svc-sdkid,x-svc-wait-for-loading-new-content',
      },
    });
    expect(answer.status).to.be.within(200, 204);
    expect(answer.headers.get('access-control-allow-origin')).to.be.oneOf(['*', 'https://site.example']);
    const allowed = answer.headers.get('access-control-allow-headers')!.toLowerCase();
    if (allowed !== '*') expect(allowed).to.include('authorization').and.include('x-svc-sdkid');
  });

  it('allows a browser to read an answer, an error too', async () => {
    for (const path of ['/items?limit=1', '/items/unknown']) {
      const answer = await service.delivery.get(path, { headers: { origin: 'https://site.example' } });
      expect(answer.headers.get('access-control-allow-origin')).to.be.oneOf(['*', 'https://site.example']);
    }
  });

  describe('bad input', () => {
    it('refuses a URL of 100 kB and answers the next request', async () => {
      const answer = await fetch(`${service.delivery.baseUrl}/items?system.name=${'x'.repeat(100_000)}`);
      expect(answer.status).to.be.oneOf([414, 431]);
      expect((await service.delivery.get('/items?limit=1')).status).to.equal(200);
    });

    it('answers a query with 150 filters', async () => {
      const query = Array.from({ length: 150 }, (_, index) => `elements.title[neq]=${index}`).join('&');
      const { status, body } = await service.delivery.get<Listing>(`/items?${query}`);
      expect([status, body.items.length]).to.deep.equal([200, 7]);
    });

    it('accepts a list of a thousand values', async () => {
      const values = Array.from({ length: 1000 }, (_, index) => `v${index}`).join(',');
      const { status, body } = await service.delivery.get<Listing>(
        `/items?system.codename[in]=${values},ferry`,
      );
      expect([status, body.items.length]).to.deep.equal([200, 1]);
    });

    const HOSTILE = [
      "'; DROP TABLE item; --",
      '" OR 1=1',
      '%_',
      '*',
      '\\',
      '\u0001',
      '\u202e',
      '😀',
      '$1',
      '{{x}}',
      '../..',
    ];
    for (const value of HOSTILE) {
      it(`matches nothing with ${JSON.stringify(value)} as a value or a name`, async () => {
        const encoded = encodeURIComponent(value);
        for (const query of [`elements.title=${encoded}`, `elements.${encoded}=x`, `system.${encoded}=x`]) {
          const { status, body } = await service.delivery.get<Listing>(`/items?${query}`);
          expect([status, body.items], query).to.deep.equal([200, []]);
        }
      });
    }

    for (const path of ['/items?limit=1', '//items?limit=1', '/items/?limit=1']) {
      it(`accepts doubled and trailing slashes: ${path}`, async () => {
        expect((await service.delivery.get<Listing>(path)).body.items).to.have.length(1);
      });
    }

    it('answers a request target with raw brackets, quotes and pipes', async () => {
      const url = new URL(service.delivery.baseUrl);
      const path = `${url.pathname}/items?elements.title[in]="a"|b,Ferry`;
      const status = await new Promise((resolve, reject) => {
        send({ host: url.hostname, port: url.port, path }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
      expect(status).to.equal(200);
    });
  });
});
