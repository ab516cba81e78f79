import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { changeLog } from '../../core/changes/change-log.ts';
import type { FeedMessage } from '../../core/changes/feed-message.ts';
import type { Change, FeedPosition } from '../../core/contract.ts';
import type { RunningCoreServer } from '../../core/remote/server/serve-core.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { leastOf } from '../support/measure/least-of.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { type HarbourService, startHarbour } from '../support/projects/harbour-service.ts';
import { DEFAULT_LANGUAGE } from '../support/random/content-draft.ts';
import { connectOverHttp, serveOverHttp } from '../support/service/core-over-http.ts';
import { until } from '../support/until.ts';

const language = DEFAULT_LANGUAGE;

type Commit = Extract<FeedMessage, { kind: 'commit' }>;

/** Age of what was delivered, with a heartbeat every 250 ms. */
const ALIVE_MS = 400;

describe('the change feed over HTTP', () => {
  let harbour: HarbourService;
  let server: RunningCoreServer;
  let relay: Relay;
  const ends: (() => Promise<void>)[] = [];

  before(async () => {
    harbour = await startHarbour();
    server = await serveOverHttp(harbour.service.core);
    relay = await startRelay(Number(server.address.split(':').at(-1)));
  });
  afterEach(async () => {
    relay.release();
    for (const end of ends.splice(0)) await end();
  });
  after(async () => {
    await relay.close();
    await server.close(1000);
    await harbour.stop();
  });

  /** A gateway's end of the feed, and what it delivered. */
  async function follow(
    relays: readonly Relay[] = [relay],
  ): Promise<{ changes: Change[]; resets: FeedPosition[]; age: () => number; isAlive: () => boolean }> {
    const core = connectOverHttp(relays.map(({ port }) => `127.0.0.1:${port}`));
    ends.push(() => core.close());
    const changes: Change[] = [];
    const resets: FeedPosition[] = [];
    core.feed.subscribe(
      (change) => changes.push(change),
      (position) => resets.push(position),
    );
    const age = () => performance.now() - core.feed.completeUntil;
    const isAlive = () => age() < ALIVE_MS;
    await until(isAlive);
    return { changes, resets, age, isAlive };
  }

  async function newest(): Promise<number> {
    const { storage } = harbour.service.core.operations;
    const row = await storage.sql.get<{ sequence: number }>('SELECT sequence FROM installation');
    return row!.sequence;
  }

  let title = 0;
  async function publish(): Promise<void> {
    title += 1;
    await harbour.project.apply([
      { do: 'new-version', item: 'ferry', language },
      { do: 'variant', item: 'ferry', language, values: { title: `Ferry ${title}` } },
      { do: 'publish', item: 'ferry', language },
    ]);
  }

  it('delivers each commit once, within milliseconds, with its age', async () => {
    const { changes, resets } = await follow();
    const first = (await newest()) + 1;
    let published = 0;
    const { milliseconds } = await leastOf(50, async () => {
      const times: number[] = [];
      for (let round = 0; round < 20; round += 1) {
        const began = performance.now();
        await publish();
        const acknowledged = performance.now();
        published += 1;
        await until(() => changes.length === published);
        times.push(performance.now() - acknowledged);
        // The clock of the age has whole milliseconds.
        expect(changes.at(-1)!.age).to.be.within(0, performance.now() - began + 2);
      }
      return { milliseconds: times.sort((a, b) => a - b)[10]! };
    });
    expect(milliseconds).to.be.lessThan(50);
    expect(resets).to.have.lengthOf(1);
    expect(changes.map(({ sequence }) => sequence)).to.deep.equal(
      Array.from({ length: published }, (_, at) => first + at),
    );
    expect(changes[0]!.project).to.equal(harbour.project.id);
    expect(changes[0]!.tags).to.include('item:ferry');
  });

  it('delivers the same from the change log as live', async () => {
    const { operations, gatewayFeed } = harbour.service.core;
    const link = gatewayFeed.follow({ gateway: 'test' }, () => {});
    const after = await newest();
    expect((await link.next()).value).to.include({ kind: 'start', sequence: after });
    await publish();
    await operations.installation(null, async ({ tx }) => {
      const { id } = harbour.project;
      const row = await tx.get<{ number: number }>('SELECT number FROM project WHERE id = ?', [id]);
      for (const [project, projectId] of [[null, null] as const, [row!.number, id] as const]) {
        const entry = { project, projectId, type: 'project', operation: 'upsert', object: 'x', actor: null };
        tx.change({ ...entry, tags: ['a', 'b'] });
        tx.change({ ...entry, tags: ['b', 'c'] });
      }
    });
    const live: Commit[] = [];
    while (live.length < 2) {
      const { value } = await link.next();
      if (value.kind === 'commit') live.push(value);
    }
    await link.return(undefined);
    const logged = await changeLog(operations.storage, () => new Date())(after, after + 2);
    const withoutTime = ({ sequence, epoch, changes }: Omit<Commit, 'kind'>) => ({
      sequence,
      epoch,
      changes,
    });
    expect(live.map(withoutTime)).to.deep.equal(logged.map(withoutTime));
    expect(logged[1]!.changes).to.deep.equal([
      { project: null, tags: ['a', 'b', 'c'] },
      { project: harbour.project.id, tags: ['a', 'b', 'c'] },
    ]);
    for (const { time } of logged) expect(performance.now() - time).to.be.within(0, 5000);
  });

  it('goes on after a cut where it was, with everything that was committed meanwhile', async () => {
    const { changes, resets, isAlive } = await follow();
    const first = (await newest()) + 1;
    for (let round = 0; round < 4; round += 1) {
      relay.hold();
      relay.cut();
      for (let commit = 0; commit < 10; commit += 1) await publish();
      await until(() => !isAlive());
      relay.release();
      await until(() => isAlive() && changes.length === 10 * (round + 1));
    }
    expect(resets).to.have.lengthOf(1);
    expect(changes.map(({ sequence }) => sequence)).to.deep.equal(
      Array.from({ length: 40 }, (_, at) => first + at),
    );
  });

  it('starts again, with a reset, where the change log lacks what was missed', async () => {
    const { changes, resets, isAlive } = await follow();
    relay.hold();
    relay.cut();
    for (let commit = 0; commit < 3; commit += 1) await publish();
    const last = await newest();
    await harbour.service.core.operations.storage.write((tx) =>
      tx.run('DELETE FROM change WHERE sequence < ?', [last]),
    );
    await until(() => !isAlive());
    relay.release();
    await until(isAlive);
    expect(resets.slice(1).map(({ sequence }) => sequence)).to.deep.equal([last]);
    expect(changes).to.deep.equal([]);
    await publish();
    await until(() => changes.length === 1);
    expect(changes[0]!.sequence).to.equal(last + 1);
  });

  it('keeps nothing of the reports that operators ask for', async () => {
    await follow();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { reports } = harbour.service.core.gatewayFeed;
    for (let count = 0; count < 12; count++) await reports.collect({ what: 'state', after: null });
    process.off('warning', onWarning);
    // Of listeners that a signal gathers.
    expect(warnings).to.deep.equal([]);
  });

  longTest('disconnects a gateway that does not read, which then gets what it missed', async () => {
    const { gatewayFeed, operations } = harbour.service.core;
    const { changes, resets, isAlive } = await follow();
    await until(() => gatewayFeed.gateways.length === 1);
    relay.hold();
    const entry = {
      project: null,
      projectId: null,
      type: 'user',
      operation: 'upsert',
      object: 'x',
      actor: null,
    };
    const tags = Array.from({ length: 4000 }, (_, at) => `tag:${'x'.repeat(100)}${at}`);
    for (let commit = 0; commit < 70; commit += 1) {
      await operations.storage.write(async (tx) => tx.change({ ...entry, tags }));
    }
    await until(() => gatewayFeed.gateways.length === 0);
    relay.release();
    await until(() => isAlive() && changes.length === 70);
    expect(resets).to.have.lengthOf(1);
  });

  it('is not lost while one of two links is, and delivers each commit once', async function () {
    this.timeout(120_000);
    const other = await startRelay(Number(server.address.split(':').at(-1)));
    ends.push(() => other.close());
    const { changes, resets, age } = await follow([relay, other]);
    const before = resets.length;
    const first = (await newest()) + 1;
    let published = 0;
    const { milliseconds } = await leastOf(ALIVE_MS, async () => {
      let oldest = 0;
      for (const one of isLongForm ? [relay, other] : [relay]) {
        one.holdRequests('POST /feed');
        for (let round = 0; round < 12; round += 1) {
          await publish();
          published += 1;
          await pause(100);
          oldest = Math.max(oldest, age());
        }
        one.release();
        await pause(1500);
      }
      return { milliseconds: oldest };
    });
    expect(milliseconds).to.be.below(ALIVE_MS);
    await until(() => changes.length >= published);
    expect(resets).to.have.lengthOf(before);
    expect(changes.map(({ sequence }) => sequence)).to.deep.equal(
      Array.from({ length: published }, (_, at) => first + at),
    );
  });

  it('opens a link again over which nothing comes, though it is not closed', async () => {
    const { changes, resets, isAlive } = await follow();
    let published = 0;
    const { milliseconds } = await leastOf(4000, async () => {
      relay.holdRequests('POST /feed');
      await publish();
      published += 1;
      await until(() => !isAlive());
      relay.release();
      const began = performance.now();
      await until(() => isAlive() && changes.length === published);
      return { milliseconds: performance.now() - began };
    });
    expect(milliseconds).to.be.lessThan(4000);
    expect(resets).to.have.lengthOf(1);
  });
});
