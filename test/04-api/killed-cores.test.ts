/**
 * Cores are killed one after another while clients write through gateways and webhooks are sent; writes are refused and
 * receivers fail at random. The long form has one gateway and one core with SQLite; with HEADWATER_TEST_TOPOLOGY it is that
 * topology. `npm test` has `manage-killed` and `webhook-faults` instead.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createType } from '../../core/content/types.ts';
import { messageId } from '../../core/webhooks/message.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { KilledCores } from '../support/killed/killed-cores.ts';
import { dumpReadSide, recompileAll } from '../support/killed/read-side-dump.ts';
import { isLongForm } from '../support/long-form.ts';
import { managementKey } from '../support/projects/manage-service.ts';
import { wrongBlocks } from '../support/projects/wrong-blocks.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { openCore } from '../support/service/open-core.ts';
import { HTTP, testTopology } from '../support/service/topology.ts';
import { until } from '../support/until.ts';
import { checkQueued } from '../support/webhooks/check-queued.ts';
import { checkOrder, type DeliveryRecord, startDeliveryRecord } from '../support/webhooks/delivery-record.ts';

const TOPOLOGY = testTopology() ?? HTTP;
const KILLS = isLongForm ? 50 : 16;
const QUEUES = 3;
const WRITERS = 4;
/** From the first acknowledged publish until the kill, ms. */
const LONGEST_RUN = 400;
/** Bound for "never": a core that has started is reached again, a write gets its answer. */
const REACHED_MS = 60_000;
/** What a killed core had sent has arrived by then; another core sends it again later. */
const ARRIVED_MS = 50;
/** Delivers what is queued. */
const PUBLISHER = join(import.meta.dirname, '../support/killed/webhook-publisher.mjs');

/** Which titles readers see. */
interface ItemState {
  readonly latest: string | null;
  readonly published: string | null;
}

/** What is known of an item: the state of the last call that was answered, and of one that may have been carried out. */
interface Known {
  answered?: ItemState;
  underWay?: ItemState;
}

if (isLongForm || testTopology())
  describe('cores that are killed behind gateways', function () {
    this.timeout(120_000 + KILLS * 30_000);
    this.slow(30_000);
    const seed = testSeed();
    let folder: string;
    let database: TestDatabase;
    let record: DeliveryRecord;
    let cores: KilledCores;
    let project: string;
    let key: string;
    const webhooks: string[] = [];
    let calls = 0;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'headwater-killed-'));
      database = await testDatabase();
      const random = new Random(seed);
      record = await startDeliveryRecord(() => random.int(0, 9999) / 10_000);
      await withCore(prepare);
      const engines = TOPOLOGY.hasEngines
        ? (await (await import('../support/programs/test-engines.ts')).testEngines()).environment
        : {};
      cores = await KilledCores.start({
        topology: TOPOLOGY,
        folder,
        databaseUrl: database.url,
        engines,
        seed,
      });
    });
    after(async () => {
      await cores?.close();
      await record?.close();
      await rm(folder, { recursive: true, force: true });
      await database.remove();
    });

    /** A core in this process, while no other one runs. */
    async function withCore(work: (core: RunningCore) => Promise<void>): Promise<void> {
      const core = await openCore({
        dataDir: join(folder, 'core-0'),
        databaseUrl: database.url,
        // As those of the killed ones.
        now: () => new Date(Date.UTC(2030, 0, 1) + (Date.now() - Date.UTC(2026, 0, 1))),
      });
      await work(core).finally(() => core.close());
    }

    async function prepare(core: RunningCore): Promise<void> {
      project = (await core.operations.installation(null, (to) => createProject(to, { name: 'Killed' }))).id;
      await core.operations.inProject(project, null, async (transaction) => {
        await createType(transaction, { name: 'Piece', elements: [{ type: 'text', name: 'Title' }] });
        for (let queue = 0; queue < QUEUES; queue++) {
          const { id } = await addWebhook(transaction, {
            name: `${queue}`,
            url: `${record.url}/${queue}`,
            contentChanges: [],
            workflowSteps: [],
          });
          webhooks.push(id);
        }
      });
      ({ key } = await managementKey(core, project));
    }

    /** Of the next gateway; undefined where there is no answer. */
    async function send(method: string, path: string, body?: unknown) {
      const url = `${cores.urls[calls++ % cores.urls.length]}${path}`;
      const headers = {
        ...(path.startsWith('/manage') && { authorization: `Bearer ${key}` }),
        'x-svc-wait-for-loading-new-content': 'true',
        'content-type': 'application/json',
      };
      const response = await fetch(url, {
        method,
        headers,
        signal: AbortSignal.timeout(REACHED_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text };
    }

    /** Undefined: there is nothing at the path. */
    async function read(path: string): Promise<Record<string, unknown> | undefined> {
      let answer = { status: 0, text: '' };
      await until(async () => {
        answer = await send('GET', path);
        return answer.status < 500;
      }, REACHED_MS);
      if (answer.status === 404) return undefined;
      expect(answer.status, answer.text).to.equal(200);
      return JSON.parse(answer.text);
    }

    /** Undefined: there is no such item. */
    async function stateOf(externalId: string): Promise<ItemState | undefined> {
      const path = `/manage/v2/projects/${project}/items/external-id/${externalId}`;
      const item = await read(path);
      if (!item) return undefined;
      const variant = await read(`${path}/variants/codename/default`);
      const delivered = await read(`/delivery/${project}/items/${item['codename']}`);
      const elements = variant?.['elements'] as { value: string | null }[] | undefined;
      const shown = delivered?.['item'] as { elements: { title: { value: string } } } | undefined;
      return { latest: elements?.[0]?.value ?? null, published: shown?.elements.title.value ?? null };
    }

    /** Makes an item and publishes it again and again, until a call fails or `isOver`. */
    async function writeItem(externalId: string, known: Map<string, Known>, isOver: () => boolean) {
      const item = `/items/external-id/${externalId}`;
      const variant = `${item}/variants/codename/default`;
      /** @returns whether it was acknowledged */
      const call = async (underWay: ItemState, method: string, path: string, body?: unknown) => {
        known.set(externalId, { ...known.get(externalId), underWay });
        const { status, text } = await send(method, `/manage/v2/projects/${project}${path}`, body);
        if (status >= 500) return false;
        expect(status, `${method} ${path}: ${text}`).to.be.below(300);
        known.set(externalId, { answered: underWay });
        return true;
      };
      const named = { name: externalId, type: { codename: 'piece' }, sitemap_locations: [] };
      let isGoing = await call({ latest: null, published: null }, 'PUT', item, named);
      for (let turn = 0; isGoing && !isOver(); turn += 1) {
        const [latest, before] = [`${turn}`, turn === 0 ? null : `${turn - 1}`];
        const written = { elements: [{ element: { codename: 'title' }, value: latest }] };
        isGoing =
          (await call({ latest, published: before }, 'PUT', variant, written)) &&
          (await call({ latest, published: latest }, 'PUT', `${variant}/publish`)) &&
          (await call({ latest, published: latest }, 'PUT', `${variant}/new-version`));
      }
    }

    /** Lets writers write through the gateways, and kills a core among that. */
    async function writeUntilKilled(
      round: number,
      core: number,
      random: Random,
    ): Promise<Map<string, Known>> {
      const known = new Map<string, Known>();
      let isOver = false;
      const write = async (writer: number) => {
        for (let number = 0; !isOver; number += 1)
          await writeItem(`r${round}-w${writer}-${number}`, known, () => isOver);
      };
      const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
      const killing = async () => {
        await until(() => [...known.values()].some(({ answered }) => answered?.published), REACHED_MS);
        await pause(random.int(0, LONGEST_RUN));
        await cores.killCore(core);
        await pause(ARRIVED_MS);
        record.round += 1;
      };
      const killed = killing().finally(() => {
        isOver = true;
      });
      await Promise.all([writing, killed]);
      return known;
    }

    async function deliverAll(): Promise<void> {
      record.isWell = true;
      const child = spawn(
        process.execPath,
        [PUBLISHER, join(folder, 'core-0'), project, `${2 * KILLS + TOPOLOGY.cores}`, `${seed}`, 'quiet'],
        {
          env: { ...process.env, ...(database.url !== null && { HEADWATER_DATABASE_URL: database.url }) },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      );
      const [code] = await once(child, 'exit');
      expect(code).to.equal(0);
    }

    it(`lose no acknowledged write and no notification in ${KILLS} kills at random points, seed ${seed}`, async () => {
      const random = new Random(seed + 1);
      const everything = new Map<string, (ItemState | undefined)[]>();
      let answered = 0;
      for (let round = 0; round < KILLS; round += 1) {
        const core = round % TOPOLOGY.cores;
        const known = await writeUntilKilled(round, core, random);
        const started = cores.startCore(core);
        // Another core has everything at once.
        if (TOPOLOGY.cores === 1) await started;
        for (const [item, { answered: before, underWay }] of known) {
          const state = await stateOf(item);
          const possible = before && underWay === undefined ? [before] : [before, underWay];
          expect(possible, `round ${round}, ${item}`).to.deep.include(state);
          // A database may still carry out what a killed core had sent.
          everything.set(item, underWay === undefined ? [state] : [state, underWay]);
          answered += before ? 1 : 0;
        }
        await started;
      }
      for (const [item, possible] of everything) expect(possible, item).to.deep.include(await stateOf(item));
      await cores.close();
      record.round += 1;
      await deliverAll();
      await withCore(async ({ operations, ...core }) => {
        await database.check(operations.storage);
        await checkQueued(operations.storage);
        const { sql } = operations.storage;
        const events = await sql.all<{ id: string }>('SELECT id FROM webhook_event ORDER BY number');
        let twice = 0;
        for (const [queue, webhook] of webhooks.entries()) {
          const received = record.entries.filter(({ path }) => path === `/${queue}`);
          twice += checkOrder(
            received,
            events.map(({ id }) => messageId(id, webhook, 0)),
          );
        }
        // At most the attempt of each queue at each kill.
        expect(twice).to.be.at.most((KILLS + TOPOLOGY.cores) * QUEUES);
        expect(events.length, 'events').to.be.at.least(KILLS);
        await operations.settled();
        const kept = await dumpReadSide(sql);
        await recompileAll({ ...core, operations }, project);
        expect(kept).to.deep.equal(await dumpReadSide(sql));
        expect(await wrongBlocks(sql)).to.deep.equal([]);
        console.log(
          `      ${answered} items with acknowledged writes, ${events.length} publishes, ${twice} notifications again`,
        );
      });
    });
  });
