import { expect } from 'chai';
import type { CoreRequest } from '../../core/contract.ts';
import { NO_LIMITS, withinLimits } from '../../core/delivery/delivery-limits.ts';
import { failure } from '../support/failure.ts';
import {
  type ErrorBody,
  type HarbourService,
  type Listing,
  type Single,
  startHarbour,
} from '../support/projects/harbour-service.ts';

describe('delivery: limits that the operator sets for one call', () => {
  let harbour: HarbourService;
  let free: HarbourService;
  before(async () => {
    harbour = await startHarbour({
      environment: {
        HEADWATER_DELIVERY__LIMIT: '3',
        HEADWATER_DELIVERY__DEPTH: '0',
        HEADWATER_DELIVERY__ANSWER_BYTES: '60000',
        HEADWATER_DELIVERY__ANSWER_MILLISECONDS: '20000',
      },
    });
    free = await startHarbour();
  });
  after(async () => {
    await harbour.stop();
    await free.stop();
  });
  const codenames = ({ items }: Listing) => items.map(({ system }) => system.codename);

  it('a listing without a limit has as many entries as the largest limit, and a next page that works', async () => {
    const all = codenames((await free.delivery.get<Listing>('/items')).body);
    for (const client of [harbour.delivery, harbour.preview]) {
      const { body } = await client.get<Listing>('/items');
      expect(body.pagination).to.include({ skip: 0, limit: 3, count: 3 });
      expect(body.modular_content).to.deep.equal({});
    }
    const seen: string[] = [];
    for (let next = '/items'; next !== ''; ) {
      const { status, body } = await harbour.delivery.get<Listing>(next);
      expect(status).to.equal(200);
      seen.push(...codenames(body));
      next = body.pagination.next_page;
    }
    expect(seen).to.deep.equal(all);
  });

  it('the same holds for types and taxonomies', async () => {
    const { body } = await harbour.delivery.get<Listing>('/types');
    expect(body.pagination.limit).to.equal(3);
    expect(body.pagination.count).to.be.within(1, 3);
    expect((await harbour.delivery.get<ErrorBody>('/taxonomies?limit=4')).body.error_code).to.equal(1010);
  });

  it('more than the limit is answered with 400', async () => {
    for (const path of [
      '/items?limit=4',
      '/items?depth=1',
      '/items/lighthouse?depth=15',
      '/items?%6cimit=1000',
    ]) {
      const { status, body } = await harbour.delivery.get<ErrorBody>(path);
      expect([status, body.error_code], path).to.deep.equal([400, 1010]);
      expect(body.message).to.match(/^'(limit|depth)' can be at most [03] in this service\.$/);
    }
  });

  it('a value that is no number is reported as without limits', async () => {
    for (const [path, code] of [
      ['/items?limit=x', 1005],
      ['/items?limit=0', 1005],
      ['/items?limit=1&limit=2', 1003],
      ['/items?depth=-1', 1006],
      ['/items?language=%zz', 2],
    ] as const)
      expect((await harbour.delivery.get<ErrorBody>(path)).body.error_code, path).to.equal(code);
  });

  it('a single item has the largest depth where it is below the default', async () => {
    const keys = async (at: HarbourService, path: string) =>
      Object.keys((await at.delivery.get<Single>(path)).body.modular_content);
    const none = await keys(free, '/items/lighthouse?depth=0');
    expect((await keys(free, '/items/lighthouse')).length).to.be.above(none.length);
    expect(await keys(harbour, '/items/lighthouse')).to.deep.equal(none);
    expect((await harbour.delivery.get<Single>('/items/lighthouse?depth=0')).status).to.equal(200);
  });
});

describe('the limits of an answer', () => {
  const request = {
    surface: 'delivery',
    method: 'GET',
    path: '/p/items',
    query: '',
    headers: {},
    bases: { self: '', assets: '' },
    principal: { kind: 'anonymous' },
    requestId: 'r',
  } as const;
  const bytes = (count: number) => new Uint8Array(count);

  it('refuse answers that are too large, whole or streamed, and stop reading them', async () => {
    let closed = 0;
    async function* stream(chunks: number) {
      try {
        for (let at = 0; at < chunks; at += 1) yield bytes(500);
      } finally {
        closed += 1;
      }
    }
    const limits = { ...NO_LIMITS, answerBytes: 1024 };
    const deliver = (body: Uint8Array[] | AsyncIterable<Uint8Array>) =>
      withinLimits(limits, request, async () => ({ status: 200, headers: {}, body }));
    for (const body of [[bytes(1025)], [bytes(1000), bytes(25)], stream(1_000_000)]) {
      const error = await failure(() => deliver(body));
      expect([error.status, error.code]).to.deep.equal([400, 2]);
      expect(error.message).to.include('more than 1024 bytes').and.to.include("'limit'");
    }
    expect(closed).to.equal(1);
    const whole = await deliver(stream(2));
    expect(whole.body).to.deep.equal([bytes(500), bytes(500)]);
    expect(
      await withinLimits(limits, request, async () => ({ status: 304, headers: {}, body: null })),
    ).to.include({
      status: 304,
    });
  });

  it('refuse answers that take too long', async () => {
    const limits = { ...NO_LIMITS, answerMilliseconds: 30 };
    const began = performance.now();
    const error = await failure(() => withinLimits(limits, request, () => new Promise(() => {})));
    expect([error.status, error.code]).to.deep.equal([503, 0]);
    expect(error.message).to.include('within 30 ms');
    expect(performance.now() - began).to.be.within(25, 5000);
    const fast = await withinLimits(limits, request, async () => ({ status: 200, headers: {}, body: null }));
    expect(fast.status).to.equal(200);
  });

  it('stop reading after the time limit, and when the client has disconnected', async () => {
    const limits = { ...NO_LIMITS, answerMilliseconds: 30 };
    const left = new AbortController();
    const given: CoreRequest['signal'][] = [];
    const never = (asked: CoreRequest) => {
      given.push(asked.signal);
      return new Promise<never>(() => {});
    };
    await failure(() => withinLimits(limits, request, never));
    expect(given[0]?.aborted).to.equal(true);
    const waiting = withinLimits(
      { ...limits, answerMilliseconds: 5000 },
      { ...request, signal: left.signal },
      never,
    );
    waiting.catch(() => {});
    left.abort();
    expect(given[1]?.aborted).to.equal(true);
    const late = { ...request, signal: left.signal };
    await withinLimits({ ...limits, answerMilliseconds: 5000 }, late, async ({ signal }) => {
      given.push(signal);
      return { status: 200, headers: {}, body: null };
    });
    expect(given[2]?.aborted).to.equal(true);
  });

  it('take no part of an answer for the whole when the client disconnects', async () => {
    const limits = { ...NO_LIMITS, answerBytes: 1024 };
    const asked = { ...request, signal: AbortSignal.abort() };
    const body = [bytes(10), bytes(10)];
    const error = await failure(() =>
      withinLimits(limits, asked, async () => ({ status: 200, headers: {}, body, tags: ['a'], sequence: 1 })),
    );
    expect(error.errorName).to.equal('unavailable');
  });

  it('leave requests unchanged where none are set', async () => {
    const answer = { status: 200, headers: {}, body: [bytes(1)] };
    let asked: unknown;
    const got = await withinLimits(NO_LIMITS, request, async (given) => {
      asked = given;
      return answer;
    });
    expect(asked).to.equal(request);
    expect(got).to.equal(answer);
  });
});
