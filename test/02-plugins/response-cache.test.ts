import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { fetchRaw, type RawAnswer } from '../support/clients/fetch-raw.ts';
import {
  type FakeContent,
  fakeContent,
  type ManualClock,
  manualClock,
} from '../support/gateway/fake-content.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const PATH = `/${PROJECTS.open}/items/a`;
const WAIT = { 'X-KC-Wait-For-Loading-New-Content': 'True' };

describe('the response cache', () => {
  let gateway: TestGateway;
  let content: FakeContent;
  let clock: ManualClock;

  async function start(settings: Record<string, unknown> = {}): Promise<void> {
    content = fakeContent();
    clock = manualClock();
    gateway = await runGateway({
      core: content.core,
      clock,
      settings: { vendor: { header: ['SVC', 'KC'] } },
      plugins: { 'response-cache': { refreshMilliseconds: 20, waitSeconds: 0.2, ...settings } },
    });
    content.publish(PATH, 'old');
  }
  beforeEach(() => start());
  afterEach(async () => {
    content.release();
    await gateway.end();
  });

  const read = (headers: Record<string, string> = {}, path = PATH, surface = 'delivery') =>
    fetchRaw(`${gateway.urls.http}/${surface}${path}`, headers);
  const textOf = (answer: RawAnswer): unknown => JSON.parse(answer.body).text;
  const status = (answer: RawAnswer) => answer.headers['cache-status'];

  describe('without the wait header', () => {
    it('serves a fresh answer without core', async () => {
      const first = await read();
      expect(status(first)).to.equal('headwater; fwd=uri-miss; stored');
      const second = await read();
      expect(textOf(second)).to.equal('old');
      expect(status(second)).to.equal('headwater; hit');
      expect(second.headers).to.include({ age: '0', 'x-stale-content': '0', vary: 'Accept-Encoding' });
      expect(second.headers['cache-control']).to.equal('public, max-age=0, s-maxage=1');
      expect(second.headers['x-svc-content-sequence']).to.equal('101');
      expect(content.calls).to.equal(1);
    });

    it('sends the new answer where the refresh is quick', async () => {
      await read();
      content.publish(PATH, 'new');
      const answer = await read();
      expect(textOf(answer)).to.equal('new');
      expect(status(answer)).to.equal('headwater; fwd=stale; stored');
    });

    it('sends the old one, flagged, where it is not, and refreshes once behind it', async () => {
      await read();
      content.publish(PATH, 'new');
      content.hold = true;
      clock.pass(500);
      const answers = await Promise.all([read(), read(), read()]);
      for (const answer of answers) {
        expect(textOf(answer)).to.equal('old');
        expect(status(answer)).to.equal('headwater; hit; ttl=-1');
        expect(answer.headers).to.include({ age: '1', 'x-stale-content': '1', 'x-svc-stale-content': '1' });
        expect(answer.headers['cache-control']).to.equal('no-store');
      }
      expect(content.calls).to.equal(2);
      content.hold = false;
      content.release();
      await until(() => content.core.requests.length === 2);
      const later = await read();
      expect(textOf(later)).to.equal('new');
      expect(content.calls).to.equal(2);
    });

    it('waits once the change is older than the bound, the time of the refresh counted in', async () => {
      await read();
      content.publish(PATH, 'new');
      clock.pass(981);
      content.hold = true;
      const reading = read();
      await until(() => content.calls === 2);
      await pause(60);
      content.release();
      expect(textOf(await reading)).to.equal('new');
    });

    it('does not take a tag that changes all the time for a recent change', async () => {
      await read();
      for (let change = 0; change < 12; change += 1) {
        content.publish(PATH, `new ${change}`);
        clock.pass(100);
      }
      content.hold = true;
      const reading = read();
      await until(() => content.calls === 2);
      await pause(60);
      content.release();
      expect(textOf(await reading)).to.equal('new 11');
    });

    it('finds an answer outdated that was read before a change and stored after it', async () => {
      content.hold = true;
      const reading = read();
      await until(() => content.calls === 1);
      content.publish(PATH, 'new');
      content.hold = false;
      content.release();
      expect(textOf(await reading)).to.equal('old');
      clock.pass(1000);
      expect(textOf(await read())).to.equal('new');
    });

    it('does not share a fetch that read what is older than the bound by now', async () => {
      content.hold = true;
      const first = read();
      await until(() => content.calls === 1);
      content.publish(PATH, 'new');
      clock.pass(1000);
      const second = read();
      await pause(30);
      content.hold = false;
      content.release();
      await first;
      expect(textOf(await second)).to.equal('new');
    });

    it('makes one call of core out of many that miss', async () => {
      content.hold = true;
      const reading = Promise.all(Array.from({ length: 50 }, () => read()));
      await until(() => content.calls === 1);
      await pause(50);
      content.release();
      const answers = await reading;
      expect(answers.map(textOf)).to.deep.equal(Array.from({ length: 50 }, () => 'old'));
      expect(content.calls).to.equal(1);
      // A request that came after the answer has a plain hit.
      expect(answers.map(status).filter((text) => !/; (collapsed|hit)$/.test(text!))).to.have.lengthOf(1);
    });

    it('is outdated for good when a backup was restored', async () => {
      await read();
      content.core.emit({ project: null, epoch: 'another', sequence: 3 });
      content.hold = true;
      const reading = read();
      await until(() => content.calls === 2);
      content.release();
      expect(textOf(await reading)).to.equal('old');
      expect(content.core.requests[1]?.known).to.equal(undefined);
    });
  });

  describe('with the wait header', () => {
    it('revalidates what is kept, also before a 304', async () => {
      const first = await read();
      const again = await read({ ...WAIT, 'If-None-Match': first.headers.etag! });
      expect(again.status).to.equal(304);
      expect(status(again)).to.equal('headwater; fwd=request; fwd-status=304');
      expect(content.core.requests[1]?.known).to.deep.equal({ tags: [`item:${PATH}`], sequence: 101 });
      content.publish(PATH, 'new', { emitted: false });
      const third = await read({ ...WAIT, 'If-None-Match': first.headers.etag! });
      expect(textOf(third)).to.equal('new');
    });

    it('shows what the feed has not reported yet', async () => {
      await read();
      content.publish(PATH, 'new', { emitted: false });
      expect(textOf(await read())).to.equal('old');
      expect(textOf(await read(WAIT))).to.equal('new');
      content.emitPending();
      expect(textOf(await read())).to.equal('new');
      expect(content.calls).to.equal(2);
    });

    it('joins only a fetch that began after the request, and shares it', async () => {
      content.hold = true;
      const before = read();
      await until(() => content.calls === 1);
      content.publish(PATH, 'new', { emitted: false });
      const waiting = [read(WAIT), read(WAIT), read(WAIT)];
      await pause(50);
      content.release();
      await until(() => content.calls === 2);
      await pause(20);
      content.hold = false;
      content.release();
      expect(textOf(await before)).to.equal('old');
      expect((await Promise.all(waiting)).map(textOf)).to.deep.equal(['new', 'new', 'new']);
      expect(content.calls).to.equal(2);
    });

    it('is read in any spelling, and in a list', async () => {
      await read();
      const spellings = [
        ['X-SVC-Wait-For-Loading-New-Content', ' true '],
        ['x-svc-wait-for-loading-new-content', 'TRUE'],
        ['X-KC-Wait-For-Loading-New-Content', 'false, true'],
        ['X-SVC-Wait-For-Loading-New-Content', 'true, true'],
      ] as const;
      for (const [index, [name, value]] of spellings.entries()) {
        content.publish(PATH, `version ${index}`, { emitted: false });
        expect(textOf(await read({ [name]: value })), value).to.equal(`version ${index}`);
      }
    });

    it('is ignored with any other value', async () => {
      await read();
      await read({ 'X-SVC-Wait-For-Loading-New-Content': 'false' });
      await read({ 'X-Other-Wait-For-Loading-New-Content': 'true' });
      expect(content.calls).to.equal(1);
    });
  });

  describe('with a minimum sequence', () => {
    it('serves what is fresh up to it, and fetches beyond', async () => {
      await read();
      const other = content.publish(`${PATH}b`, 'else');
      const served = await read({ 'X-SVC-Content-Sequence': String(other) });
      expect(content.calls).to.equal(1);
      expect(served.headers['x-svc-content-sequence']).to.equal(String(other));
      const pending = content.publish(PATH, 'new', { emitted: false });
      const asked = await read({ 'X-SVC-Content-Sequence': `${other}, ${pending}` });
      expect(textOf(asked)).to.equal('new');
      expect(content.calls).to.equal(2);
    });
  });

  describe('while core fails', () => {
    for (const [what, headers] of [
      ['without the wait header', {}],
      ['with it', WAIT],
    ] as const) {
      it(`serves what is kept, flagged, ${what}`, async () => {
        await read();
        content.publish(PATH, 'new');
        clock.pass(2000);
        content.failing = true;
        const answer = await read(headers);
        expect(textOf(answer)).to.equal('old');
        expect(status(answer)).to.match(/^headwater; hit; ttl=-\d+; detail=stale-if-error$/);
        expect(answer.headers['x-stale-content']).to.equal('1');
        clock.pass(301_000);
        expect((await read(headers)).status).to.equal(500);
      });
    }

    it('fails for all that wait when nothing is kept, and keeps no error', async () => {
      content.failing = true;
      const answers = await Promise.all([read(), read()]);
      expect(answers.map((answer) => answer.status)).to.deep.equal([500, 500]);
      content.failing = false;
      expect((await read()).status).to.equal(200);
    });

    it('answers 503 when core takes longer than `waitSeconds`, or the old answer, flagged', async () => {
      content.hold = true;
      const answer = await read();
      expect(answer.status).to.equal(503);
      expect(answer.headers['retry-after']).to.equal('1');
      content.hold = false;
      content.release();
      await until(() => content.core.requests.length === 1);
      await read();
      content.hold = true;
      const flagged = await read(WAIT);
      expect(status(flagged)).to.match(/stale-if-error$/);
    });
  });

  describe('what is kept', () => {
    it('a missing item, until it is published; each answer has its own request id', async () => {
      const nothing = `${PATH}-nothing`;
      const [first, second] = [await read({}, nothing), await read({}, nothing)];
      expect([first.status, second.status]).to.deep.equal([404, 404]);
      expect(JSON.parse(first.body).request_id).to.not.equal(JSON.parse(second.body).request_id);
      expect(content.calls).to.equal(1);
      expect(status(second)).to.equal('headwater; hit');
      content.publish(nothing, 'something');
      clock.pass(1000);
      expect((await read({}, nothing)).status).to.equal(200);
    });

    it('nothing without tags, and then no request waits for another', async () => {
      let calls = 0;
      content.core.answer = async () => {
        calls += 1;
        await pause(20);
        return { status: 200, headers: {}, body: [Buffer.from('{"text":"mine"}')], sequence: 1 };
      };
      const answers = await Promise.all([read(), read(), read()]);
      expect(answers.map(textOf)).to.deep.equal(['mine', 'mine', 'mine']);
      expect(calls).to.equal(3);
      expect(status(await read())).to.equal('headwater; fwd=bypass');
    });

    it('nothing that is streamed, or above the bound on an entry', async () => {
      await gateway.end();
      await start({ maxEntryBytes: 1024 });
      content.publish(PATH, 'x'.repeat(2000));
      await read();
      await read();
      expect(content.calls).to.equal(2);
    });

    it('no more than the bound on bytes', async () => {
      await gateway.end();
      await start({ maxBytes: 1_048_576 });
      for (let item = 0; item < 30; item += 1) {
        content.publish(`${PATH}${item}`, 'x'.repeat(100_000));
        await read({}, `${PATH}${item}`);
      }
      const metrics = await fetchRaw(`${gateway.urls.http}/metrics`);
      const bytes = Number(/^headwater_response_cache_bytes (\d+)/m.exec(metrics.body)?.[1]);
      expect(bytes).to.be.within(500_000, 1_048_576);
      expect(metrics.body).to.match(/cache_verdicts_total\{surface="delivery",verdict="miss"\} 30/);
    });

    it('no more than the bound on bytes, encodings that came later included', async () => {
      await gateway.end();
      await start({ maxBytes: 1_048_576 });
      const bytes = async () => {
        const { body } = await fetchRaw(`${gateway.urls.http}/metrics`);
        return Number(/^headwater_response_cache_bytes (\d+)/m.exec(body)?.[1]);
      };
      content.publish(PATH, randomBytes(50_000).toString('hex'));
      await read();
      const before = await bytes();
      for (const encoding of ['gzip', 'br']) await read({ 'accept-encoding': encoding });
      await until(async () => (await bytes()) >= before + 100_000);
    });

    it('answers in gzip and brotli, each with a tag of its own that any encoding may be asked with', async () => {
      content.publish(PATH, 'text '.repeat(1000));
      const plain = await read();
      for (const [encoding, decode] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        let packed = await read({ 'accept-encoding': encoding });
        await until(async () => {
          packed = await read({ 'accept-encoding': encoding });
          return packed.headers['content-encoding'] === encoding;
        });
        expect(decode(packed.bytes).toString()).to.equal(plain.body);
        expect(packed.headers.etag).to.equal(`${plain.headers.etag!.slice(0, -1)}-${encoding}"`);
        expect(packed.headers.vary).to.equal('Accept-Encoding');
        for (const tag of [plain.headers.etag!, packed.headers.etag!, `"x", W/${packed.headers.etag}`, '*']) {
          const unchanged = await read({ 'If-None-Match': tag, 'Accept-Encoding': encoding });
          expect(unchanged.status, tag).to.equal(304);
          expect(unchanged.headers.etag).to.equal(packed.headers.etag);
        }
      }
      expect((await read({ 'If-None-Match': '"x"' })).status).to.equal(200);
      expect(content.calls).to.equal(1);
    });

    it('preview and secured answers for the whole project, sent as private', async () => {
      const key = { authorization: 'Bearer open-preview-primary' };
      await read(key, PATH, 'preview');
      const answer = await read(key, PATH, 'preview');
      expect(status(answer)).to.equal('headwater; hit');
      expect(answer.headers['cache-control']).to.match(/^private, /);
      expect((await read({}, PATH, 'preview')).status).to.equal(401);
    });

    it('is named for a CDN by tags that two projects do not share', async () => {
      await gateway.end();
      await start({ surrogateKeys: true });
      const secured = PATH.replace(PROJECTS.open, PROJECTS.secured);
      content.publish(secured, 'secret');
      const key = { authorization: 'Bearer secured-delivery-primary' };
      for (const [path, headers, start] of [
        [PATH, {}, '11111111/'],
        [secured, key, '22222222/'],
      ] as const) {
        const answer = await read(headers, path);
        expect(answer.headers['surrogate-key']).to.equal(`${start}item:${path}`);
        expect((await read(headers, path)).headers['surrogate-key']).to.equal(`${start}item:${path}`);
      }
      content.core.answer = () => {
        const tags = Array.from({ length: 200 }, (_, at) => `item:${'x'.repeat(60)}${at}`);
        return { status: 200, headers: {}, body: [Buffer.from('{}')], sequence: 1, tags };
      };
      expect((await read({}, `${PATH}-many`)).headers['surrogate-key']).to.equal('11111111/*');
    });

    it('what was kept is still there after a reload, and what changed since is not', async () => {
      await read();
      await read({}, `${PATH}-nothing`);
      await gateway.reloadWith({
        settings: { vendor: { header: ['SVC', 'KC'] } },
        plugins: { 'response-cache': { maxBytes: 2_000_000 } },
      });
      expect(status(await read())).to.equal('headwater; hit');
      content.publish(PATH, 'new');
      clock.pass(1000);
      expect(textOf(await read())).to.equal('new');
    });

    it('what was kept with other settings of encodings is made anew after a reload', async () => {
      const gzip = { 'accept-encoding': 'gzip' };
      const reloadWith = (own: object) =>
        gateway.reloadWith({
          settings: { vendor: { header: ['SVC', 'KC'] } },
          plugins: { 'response-cache': { ...own } },
        });
      await reloadWith({ compressFromBytes: 100_000 });
      await read(gzip);
      expect((await read(gzip)).headers['content-encoding']).to.equal(undefined);
      await reloadWith({});
      await read(gzip);
      expect((await read(gzip)).headers['content-encoding']).to.equal('gzip');
    });

    it('what was kept is still there for HEAD, without a body', async () => {
      const { body } = await read();
      const head = await fetch(`${gateway.urls.http}/delivery${PATH}`, {
        method: 'HEAD',
        headers: { 'accept-encoding': 'identity' },
      });
      expect(head.headers.get('content-length')).to.equal(String(body.length));
      expect(await head.text()).to.equal('');
      expect(content.calls).to.equal(1);
    });
  });
});
