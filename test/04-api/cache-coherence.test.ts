import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { settingsSchema } from '../../config/schema.ts';
import type { Change, Core, CoreRequest } from '../../core/contract.ts';
import { serve } from '../../gateway/serve.ts';
import { plugins } from '../../plugins/registry.ts';
import { fetchRaw } from '../support/clients/fetch-raw.ts';
import { memoryLog } from '../support/gateway/run-gateway.ts';
import { hasAllTests, isLongForm } from '../support/long-form.ts';
import { type HarbourService, startHarbour } from '../support/projects/harbour-service.ts';
import { DEFAULT_LANGUAGE } from '../support/random/content-draft.ts';
import { Random } from '../support/random/random.ts';
import type { Step } from '../support/random/steps.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { connectOverHttp, serveOverHttp } from '../support/service/core-over-http.ts';
import { testTopology } from '../support/service/topology.ts';

const READS = isLongForm ? 200_000 : 1500;
const READERS = 12;
/** The bound of the cache, by default. */
const BOUND_MS = 1000;
/** The second gateway receives a change up to so much later. */
const LATEST_MS = 400;
/** Of the second gateway's calls of core some take long. */
const SLOW_CALLS = 0.01;
const SLOW_MS = 2500;
/** Timers and turns of a busy machine. */
const SLACK_MS = 250;
const IS_SEPARATE = testTopology() !== undefined;
const language = DEFAULT_LANGUAGE;
const ITEMS = ['ferry', 'harbour', 'tide'] as const;
type Item = (typeof ITEMS)[number];
/** Gateways that reach all cores over HTTP. */
const REMOTE = ['remote 1', 'remote 2', 'remote 3', 'remote 4'] as const;
/** That of the service; one that receives changes late. */
type Gateway = 'one' | 'late' | (typeof REMOTE)[number];

const REQUESTS = [
  ...ITEMS.map((item) => `/items/${item}`),
  '/items/harbour?depth=2',
  '/items?system.codename[in]=ferry,harbour,tide&order=system.codename',
  '/items?system.codename[in]=ferry,harbour&depth=0&elements=title',
  '/items?elements.title[contains]=nothing&limit=3',
  '/items?limit=50&unknown=1',
];

/** What an item was made to show: a title, or nothing while it is not public. */
interface Version {
  readonly title: string | null;
  readonly began: number;
  acknowledged: number;
}

/** Which versions of an item an answer may have shown. */
class History {
  readonly versions: Version[] = [];

  begin(title: string | null): Version {
    const version = { title, began: performance.now(), acknowledged: Number.POSITIVE_INFINITY };
    this.versions.push(version);
    return version;
  }

  /** From the last one acknowledged at `from` to the last one begun at `to`. */
  between(from: number, to: number): (string | null)[] {
    const first = this.versions.findLastIndex(({ acknowledged }) => acknowledged <= from);
    return this.versions
      .slice(Math.max(0, first))
      .filter(({ began }) => began <= to)
      .map(({ title }) => title);
  }
}

describe('what readers get from the cache while content is published', function () {
  this.timeout(isLongForm ? 900_000 : 240_000);
  let harbour: HarbourService;
  const histories = new Map<Item, History>(ITEMS.map((item) => [item, new History()]));
  const urls: Partial<Record<Gateway, string>> = {};
  const ends: (() => Promise<void>)[] = [];
  let isWriting = true;
  let writing: Promise<void>;
  const count = { waits: 0, compared: 0, stale: 0, hits: 0, missing: 0 };

  before(async () => {
    harbour = await startHarbour({
      environment: { HEADWATER_PLUGINS__RESPONSE_CACHE__STALE_MILLISECONDS: String(BOUND_MS) },
    });
    urls.one = harbour.service.url;
    urls.late = await lateGateway();
    if (hasAllTests) await startRemote();
    for (const item of ITEMS) await change(item, `${item} 0`);
    writing = write();
  });
  after(async () => {
    isWriting = false;
    await writing;
    for (const end of ends) await end();
    await harbour.stop();
  });

  /** A gateway of its own over the same core, as if it were on another machine. */
  async function lateGateway(): Promise<string> {
    const { core } = harbour.service;
    const random = new Random(77);
    const feed = {
      completeUntil: Number.POSITIVE_INFINITY,
      subscribe(listener: (change: Change) => void) {
        let last = Promise.resolve();
        return core.feed.subscribe((one) => {
          const due = performance.now() + random.int(0, LATEST_MS);
          last = last.then(async () => {
            await pause(Math.max(0, due - performance.now()));
            listener(one);
          });
        });
      },
    };
    // A refresh that takes longer than the bound: only then does an old answer have the time to become too old.
    const handle: typeof core.handle = async (request) => {
      const answer = await core.handle(request);
      if (random.chance(SLOW_CALLS)) await pause(SLOW_MS);
      return answer;
    };
    return gatewayOf(Object.assign(Object.create(core) as typeof core, { feed, handle }));
  }

  async function startRemote(): Promise<void> {
    const addresses: string[] = [];
    for (const core of harbour.service.cores) {
      const server = await serveOverHttp(core);
      addresses.push(server.address);
      ends.unshift(() => server.close(1000));
    }
    for (const gateway of REMOTE) urls[gateway] = await remoteGateway(addresses);
  }

  async function remoteGateway(cores: readonly string[]): Promise<string> {
    const core = connectOverHttp(cores);
    ends.unshift(() => core.close());
    return gatewayOf(core);
  }

  async function gatewayOf(core: Core): Promise<string> {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-other-'));
    const settings = settingsSchema.parse({ dataDir, port: 0, tlsPort: 0, drainSeconds: 1 });
    const own: Record<string, object> = { 'access-log': { file: join(dataDir, 'access.log') } };
    const pluginSettings = Object.fromEntries(
      plugins.map(({ name, settings: schema }) => [name, schema.parse(own[name] ?? {})]),
    );
    const gateway = await serve({ core, settings, plugins, pluginSettings, logFor: memoryLog([]) });
    ends.unshift(async () => {
      await gateway.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    return gateway.urls.http;
  }

  async function change(item: Item, title: string | null): Promise<void> {
    const version = histories.get(item)!.begin(title);
    const steps: Step[] =
      title === null
        ? [{ do: 'unpublish', item, language }]
        : [
            { do: 'new-version', item, language },
            { do: 'variant', item, language, values: { title } },
            { do: 'publish', item, language },
          ];
    const wasAway = histories.get(item)!.versions.at(-2)?.title === null;
    const { cores } = harbour.service;
    await harbour.project.apply(
      wasAway ? steps.filter(({ do: what }) => what !== 'new-version') : steps,
      cores[histories.get(item)!.versions.length % cores.length],
    );
    version.acknowledged = performance.now();
  }

  async function write(): Promise<void> {
    const random = new Random(78);
    for (let round = 1; isWriting; round += 1) {
      const item = random.pick(ITEMS);
      const isAway = histories.get(item)!.versions.at(-1)?.title === null;
      const goes = item === 'tide' && !isAway && random.chance(0.3);
      await change(item, goes ? null : `${item} ${round}`);
      // Quiet for longer than the bound now and then, else in bursts.
      await pause(random.chance(0.03) ? 1300 : random.int(0, 60));
    }
  }

  /** How many have begun. */
  function changes(): number {
    return ITEMS.reduce((sum, item) => sum + histories.get(item)!.versions.length, 0);
  }

  async function uncached(request: string): Promise<string> {
    const { core, url } = harbour.service;
    const [path = '', query = ''] = request.split('?');
    const call: CoreRequest = {
      surface: 'delivery',
      method: 'GET',
      path: `/${harbour.project.id}${path}`,
      query,
      headers: {},
      bases: { self: `${url}/delivery`, assets: `${url}/assets` },
      principal: { kind: 'anonymous' },
      requestId: 'uncached',
      atLeast: 'now',
    };
    try {
      const { body } = await core.handle(call);
      return Buffer.concat(body as Uint8Array[]).toString();
    } catch (error) {
      return (error as Error).message;
    }
  }

  async function read(random: Random, gateway: Gateway): Promise<void> {
    const request = random.pick(REQUESTS);
    const waits = random.chance(0.3);
    const compares = waits && gateway === 'one' && random.chance(0.3);
    const begun = changes();
    const before = compares ? await uncached(request) : undefined;
    const began = performance.now();
    const answer = await fetchRaw(
      `${urls[gateway]}/delivery/${harbour.project.id}${request}`,
      waits ? { 'X-SVC-Wait-For-Loading-New-Content': 'true' } : {},
    );
    const ended = performance.now();
    const isStale = answer.headers['x-stale-content'] === '1';
    expect(waits && isStale, 'a reader who waits gets nothing old').to.equal(false);
    // In the process of core a gateway receives a change before its writer has the response: what it does not flag is the newest.
    const isNewest = waits || (gateway === 'one' && !IS_SEPARATE && !isStale && answer.status === 200);
    const age = isNewest ? 0 : BOUND_MS + SLACK_MS + (gateway === 'late' ? LATEST_MS : 0);
    check(request, answer.status, answer.body, began - age, ended, `${gateway} ${waits ? 'waiting' : ''}`);
    // Two changes in between may have undone each other.
    const isSame = before !== undefined && before === (await uncached(request)) && begun === changes();
    if (isSame && answer.status === 200) {
      expect(answer.body, request).to.equal(before);
      count.compared += 1;
    }
    if (waits) count.waits += 1;
    if (isStale) count.stale += 1;
    if (answer.headers['cache-status'] === 'headwater; hit') count.hits += 1;
    if (answer.status === 404) count.missing += 1;
  }

  function check(request: string, status: number, body: string, from: number, to: number, who: string): void {
    expect(status, `${who} ${request}: ${body.slice(0, 200)}`).to.be.oneOf([200, 404]);
    const allowed = (item: Item) => histories.get(item)!.between(from, to);
    if (status === 404) {
      const item = request.slice('/items/'.length) as Item;
      expect(allowed(item), `${who} ${request} is missing`).to.include(null);
      return;
    }
    const { item, items, modular_content: linked } = JSON.parse(body);
    for (const shown of [...(items ?? [item]), ...Object.values(linked)]) {
      const codename = shown.system.codename as Item;
      if (!ITEMS.includes(codename)) continue;
      expect(shown.elements.title.value, `${who} ${request}`).to.be.oneOf(allowed(codename));
    }
  }

  const several: readonly (readonly Gateway[])[] = [['one'], ['one', 'late'], ['one', ...REMOTE]];
  // The short form: where an answer can become old.
  for (const gateways of several.filter((some) => hasAllTests || some.includes('late'))) {
    const seed = testSeed();
    it(`is never older than the bound: ${READS} reads on the gateways ${gateways.join(' and ')}, seed ${seed}`, async () => {
      let left = READS;
      await Promise.all(
        Array.from({ length: READERS }, async (_, reader) => {
          const random = new Random(seed + reader);
          while (left > 0) {
            left -= 1;
            await read(random, random.pick(gateways));
          }
        }),
      );
      expect(count.waits).to.be.greaterThan(READS / 5);
      expect(count.hits).to.be.greaterThan(READS / 20);
      expect(count.compared).to.be.greaterThan(20);
    });
  }
});
