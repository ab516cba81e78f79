import { expect } from 'chai';
import { fetchRaw, type RawAnswer } from '../support/clients/fetch-raw.ts';
import {
  type FakeContent,
  fakeContent,
  type ManualClock,
  manualClock,
} from '../support/gateway/fake-content.ts';
import { type FakeCore, fakeCore, json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const PATH = `/${PROJECTS.open}/items/a`;
const WAIT = { 'X-SVC-Wait-For-Loading-New-Content': 'true' };

const textOf = (answer: RawAnswer): unknown => JSON.parse(answer.body).text;
const status = ({ headers }: RawAnswer) => headers['cache-status'];
const flag = ({ headers }: RawAnswer) => headers['x-stale-content'];

describe('the response cache while the change feed is lost', () => {
  let gateway: TestGateway;
  let content: FakeContent;
  let clock: ManualClock;

  async function start(settings: Record<string, unknown> = {}): Promise<void> {
    content = fakeContent();
    clock = manualClock();
    content.core.completeUntil = clock.monotonic();
    gateway = await runGateway({
      core: content.core,
      clock,
      plugins: { 'response-cache': { refreshMilliseconds: 20, waitSeconds: 0.2, ...settings } },
    });
    content.publish(PATH, 'old');
  }
  afterEach(async () => {
    content.release();
    await gateway.end();
  });

  const read = (headers: Record<string, string> = {}) =>
    fetchRaw(`${gateway.urls.http}/delivery${PATH}`, headers);

  it('serves what was complete at most 2 s ago, flagged, then asks core, cheaply', async () => {
    await start();
    await read();
    clock.pass(1000);
    const alive = await read();
    expect([status(alive), flag(alive)]).to.deep.equal(['headwater; hit', '0']);
    clock.pass(1);
    content.publish(PATH, 'new', { emitted: false });
    const lost = await read();
    expect([status(lost), flag(lost), textOf(lost)]).to.deep.equal([
      'headwater; hit; ttl=-2; detail=feed-lost',
      '1',
      'old',
    ]);
    expect(lost.headers['cache-control']).to.equal('no-store');
    clock.pass(998);
    expect(textOf(await read())).to.equal('old');
    expect(content.calls).to.equal(1);
    clock.pass(1);
    const asked = await read();
    expect([flag(asked), textOf(asked)]).to.deep.equal(['0', 'new']);
    clock.pass(1999);
    const again = await read();
    expect([flag(again), textOf(again)]).to.deep.equal(['1', 'new']);
    expect(content.calls).to.equal(2);
    clock.pass(1);
    const confirmed = await read();
    expect([status(confirmed), flag(confirmed)]).to.deep.equal(['headwater; fwd=stale; fwd-status=304', '0']);
    expect(content.core.requests.at(-1)?.known).to.include({ sequence: content.sequence });
  });

  it('serves as always once the feed has delivered what it missed', async () => {
    await start();
    await read();
    clock.pass(1500);
    content.publish(PATH, 'new', { emitted: false });
    expect(flag(await read())).to.equal('1');
    content.emitPending();
    content.core.completeUntil = clock.monotonic();
    expect(textOf(await read())).to.equal('new');
    const hit = await read();
    expect([status(hit), flag(hit), textOf(hit)]).to.deep.equal(['headwater; hit', '0', 'new']);
  });

  it('asks core for each request where the setting says so', async () => {
    await start({ feedLost: 'off' });
    await read();
    clock.pass(1000);
    expect(status(await read())).to.equal('headwater; hit');
    clock.pass(1);
    for (const text of ['one', 'two']) {
      content.publish(PATH, text, { emitted: false });
      const answer = await read();
      expect([flag(answer), textOf(answer)]).to.deep.equal(['0', text]);
    }
    expect(content.calls).to.equal(3);
  });

  it('answers the wait header from core', async () => {
    await start();
    await read();
    clock.pass(1500);
    content.publish(PATH, 'new', { emitted: false });
    const answer = await read(WAIT);
    expect([flag(answer), textOf(answer)]).to.deep.equal(['0', 'new']);
  });

  it('serves what it has, flagged, where core cannot be reached either, for a limited time', async () => {
    await start({ staleIfErrorSeconds: 10 });
    await read();
    content.core.access.project = content.core.access.key = async () => {
      throw new Error('no connection');
    };
    content.failing = true;
    clock.pass(5000);
    for (const headers of [{}, WAIT]) {
      const answer = await read(headers);
      expect([status(answer), flag(answer), textOf(answer)]).to.deep.equal([
        'headwater; hit; ttl=-5; detail=stale-if-error',
        '1',
        'old',
      ]);
    }
    clock.pass(5001);
    expect((await read()).status).to.equal(500);
    // The next outage has a time of its own.
    content.failing = false;
    content.core.completeUntil = clock.monotonic();
    expect(flag(await read())).to.equal('0');
    content.failing = true;
    clock.pass(9000);
    expect([flag(await read()), content.calls > 3]).to.deep.equal(['1', true]);
  });

  it('does not take the answer to a fetch that began long ago for a current one', async () => {
    await start();
    await read();
    clock.pass(3000);
    content.hold = true;
    const first = read();
    await until(() => content.calls === 2);
    content.publish(PATH, 'new', { emitted: false });
    clock.pass(2000);
    const second = read();
    await new Promise((resolve) => setTimeout(resolve, 30));
    content.hold = false;
    content.release();
    await first;
    const answer = await second;
    expect([flag(answer), textOf(answer)]).to.deep.equal(['0', 'new']);
  });

  it('counts the bound of an outdated answer from the commit of the change', async () => {
    await start();
    await read();
    content.hold = true;
    content.core.emit({
      sequence: content.sequence + 1,
      project: PROJECTS.open,
      tags: [`item:${PATH}`],
      age: 500,
    });
    const answer = await read();
    expect([flag(answer), answer.headers.age]).to.deep.equal(['1', '1']);
    clock.pass(481);
    content.failing = true;
    const waiting = read();
    await new Promise((resolve) => setTimeout(resolve, 60));
    content.release();
    expect(status(await waiting)).to.include('detail=stale-if-error');
  });

  it('revalidates everything after a gap of the feed', async () => {
    await start();
    await read();
    for (let missed = 0; missed < 10; missed += 1) content.publish('/other', 'x', { emitted: false });
    content.core.reset({ sequence: content.sequence, epoch: 'epoch' });
    const answer = await read();
    expect([flag(answer), content.calls]).to.deep.equal(['0', 2]);
  });
});

describe('the file cache while the change feed is lost', () => {
  const FILE = `/${PROJECTS.open}/1/a.png`;
  const ETAG = '"file"';
  let gateway: TestGateway;
  let core: FakeCore;
  let clock: ManualClock;
  let isThere: boolean;
  let isFailing: boolean;

  async function start(settings: Record<string, unknown> = {}): Promise<void> {
    core = fakeCore();
    clock = manualClock();
    core.completeUntil = clock.monotonic();
    isThere = true;
    isFailing = false;
    core.answer = ({ headers }) => {
      if (isFailing) throw new Error('no connection');
      if (!isThere) return { status: 404, headers: {}, body: null };
      const made = { tags: ['asset-file:1'], sequence: 1 };
      if (headers['if-none-match'] === ETAG) {
        return { status: 304, headers: { etag: ETAG }, body: null, ...made };
      }
      return json({ bytes: 1 }, { headers: { 'content-type': 'image/png', etag: ETAG }, ...made });
    };
    gateway = await runGateway({ core, clock, plugins: { 'file-cache': settings } });
  }
  afterEach(() => gateway.end());

  const read = (headers: Record<string, string> = {}) =>
    fetchRaw(`${gateway.urls.http}/assets${FILE}`, headers);

  it('serves what was complete at most 2 s ago, flagged, then asks core by entity tag', async () => {
    await start();
    const first = await read();
    clock.pass(1000);
    const alive = await read();
    expect([status(alive), flag(alive)]).to.deep.equal(['headwater; hit', undefined]);
    clock.pass(999);
    const lost = await read();
    expect([status(lost), flag(lost), lost.body]).to.deep.equal([
      'headwater; hit; detail=feed-lost',
      '1',
      first.body,
    ]);
    expect(core.requests).to.have.lengthOf(1);
    clock.pass(1);
    const asked = await read();
    expect([asked.status, status(asked), flag(asked), asked.body]).to.deep.equal([
      200,
      'headwater; fwd=stale; fwd-status=304; stored',
      undefined,
      first.body,
    ]);
    expect(core.requests[1]?.headers['if-none-match']).to.equal(ETAG);
    clock.pass(1999);
    expect((await read({ 'if-none-match': ETAG })).status).to.equal(304);
    expect(core.requests).to.have.lengthOf(2);
    isThere = false;
    clock.pass(1);
    expect((await read()).status).to.equal(404);
  });

  it('asks core for each request where the setting says so', async () => {
    await start({ feedLost: 'off' });
    await read();
    clock.pass(1001);
    expect((await read()).status).to.equal(200);
    isThere = false;
    expect((await read()).status).to.equal(404);
  });

  it('serves what it has, flagged, where core cannot be reached either, for a limited time', async () => {
    await start({ staleIfErrorSeconds: 10 });
    await read();
    isFailing = true;
    clock.pass(5000);
    const answer = await read();
    expect([answer.status, status(answer), flag(answer)]).to.deep.equal([
      200,
      'headwater; hit; detail=stale-if-error',
      '1',
    ]);
    clock.pass(5000);
    expect((await read()).status).to.equal(500);
  });

  it('fetches everything again after a gap of the feed', async () => {
    await start();
    await read();
    core.reset({ sequence: 10, epoch: 'epoch' });
    expect(status(await read())).to.equal('headwater; fwd=uri-miss; stored');
  });
});
