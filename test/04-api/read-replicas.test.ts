/** Core on PostgreSQL with a read replica: which answers come from there, and that its faults show in none. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { isFollowed } from '../../core/changes/change-feed.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { createLanguage } from '../../core/content/languages.ts';
import type { RemoteCore } from '../../core/remote/client/connect-core.ts';
import type { RunningCoreServer } from '../../core/remote/server/serve-core.ts';
import { loadSample } from '../../core/sample/load-sample.ts';
import type { ReplicaFigures } from '../../core/storage/ports.ts';
import { type PostgresServer, startPostgres } from '../support/database/postgres.ts';
import { type PostgresStandby, startStandby } from '../support/database/postgres-standby.ts';
import { readTagged } from '../support/projects/tagged-answers.ts';
import { connectOverHttp, serveOverHttp } from '../support/service/core-over-http.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { SAMPLE_PROJECT } from '../support/service/role-processes.ts';
import { until } from '../support/until.ts';

const ITEMS = { channel: 'published', path: `/${SAMPLE_PROJECT}/items`, query: 'limit=3' } as const;

describe('delivery with a read replica', () => {
  let primary: PostgresServer;
  let standby: PostgresStandby;
  let folder: string;
  let core: RunningCore;

  before(async function startCore() {
    this.timeout(120_000);
    primary = await startPostgres();
    standby = await startStandby(primary);
    folder = await mkdtemp(join(tmpdir(), 'headwater-replica-'));
    const database = await primary.create();
    core = await openCore({
      dataDir: join(folder, 'core'),
      databaseUrl: primary.url(database),
      databaseReplicaUrl: standby.url(database),
      log: SILENT,
    });
    await loadSample(core.operations);
    // Stale documents are compiled from a snapshot, which the primary has.
    await core.operations.settled();
  });
  after(async () => {
    await core?.close();
    await standby?.end();
    await primary?.end();
    await rm(folder, { recursive: true, force: true });
  });

  const storage = () => core.operations.storage;
  const figures = () => storage().figures().replicas?.[0] as ReplicaFigures;
  const commit = () => core.operations.installation(null, (to) => createProject(to, { name: 'Another' }));
  const isCurrent = () => storage().replica?.()?.sequence === storage().sequence;

  it('reads what is plain there, and everything else from the primary', async () => {
    await until(isCurrent);
    const { reads, failed } = figures();
    const plain = await readTagged(core, ITEMS);
    expect(plain).to.include({ status: 200, sequence: storage().sequence });
    expect(figures()).to.include({ reads: reads + 1, failed });
    const { sequence = 0, tags = [] } = plain;
    const others = [
      await readTagged(core, ITEMS, { atLeast: 'now' }),
      await readTagged(core, ITEMS, { atLeast: sequence }),
      await readTagged(core, ITEMS, { known: { tags, sequence } }),
      await readTagged(core, { ...ITEMS, channel: 'latest' }),
    ];
    expect(others.map(({ status }) => status)).to.deep.equal([200, 200, 304, 200]);
    expect(figures()).to.include({ reads: reads + 1, failed });
  });

  it('states the sequence of a replica that is behind, and stops reading there after half a second', async () => {
    await until(isCurrent);
    await standby.pauseReplay();
    const before = storage().sequence;
    await commit();
    const now = storage().sequence;
    expect(now).to.be.above(before);
    const began = performance.now();
    for (let sequence = 0; sequence !== now; ) {
      const answer = await readTagged(core, ITEMS);
      expect(answer.status).to.equal(200);
      sequence = answer.sequence ?? 0;
      expect(sequence).to.be.oneOf([before, now]);
      expect(performance.now() - began).to.be.below(15_000);
    }
    expect((await readTagged(core, ITEMS, { atLeast: now })).sequence).to.equal(now);
    await standby.resumeReplay();
  });

  describe('through a gateway in another process', () => {
    let server: RunningCoreServer;
    let gateway: RemoteCore;

    before(async () => {
      server = await serveOverHttp(core);
      gateway = connectOverHttp([server.address]);
      await until(() => isFollowed(gateway.feed));
    });
    after(async () => {
      await gateway?.close();
      await server?.close(0);
    });

    /** @returns the answer, and whether it is from the replica */
    const read = async (more?: Parameters<typeof readTagged>[2]) => {
      const { reads } = figures();
      const answer = await readTagged(gateway, ITEMS, more);
      return { ...answer, isReplica: figures().reads > reads };
    };
    /** Of a project that nothing reads. */
    const commitElsewhere = async () => {
      await commit();
      const { sequence } = storage();
      await until(async () => (await readTagged(gateway, ITEMS)).sequence === sequence);
    };
    const addLanguage = (codename: string) =>
      core.operations.inProject(SAMPLE_PROJECT, null, (to) =>
        createLanguage(to, { name: codename, codename }),
      );

    it('reads what is plain there, and everything else from the primary', async () => {
      await until(isCurrent);
      const plain = await read();
      expect(plain).to.include({ status: 200, isReplica: true, sequence: storage().sequence });
      const { sequence = 0, tags = [] } = plain;
      expect(await read({ atLeast: sequence })).to.include({ status: 200, isReplica: false });
      expect(await read({ atLeast: 'now' })).to.include({ status: 200, isReplica: false });
      expect(await read({ known: { tags, sequence } })).to.include({ status: 304, isReplica: false });
    });

    it('reads there while the replica lacks commits of other projects alone', async () => {
      await until(isCurrent);
      let answer: Awaited<ReturnType<typeof read>> | undefined;
      // Repeated where the machine is too slow for half a second.
      await until(async () => {
        await standby.pauseReplay();
        await commitElsewhere();
        answer = await read();
        const isInTime = storage().replica?.() !== undefined;
        await standby.resumeReplay();
        await until(isCurrent);
        return isInTime;
      });
      expect(answer).to.include({ status: 200, isReplica: true, sequence: storage().sequence });
    });

    it('shows no reader less than the gateway has shown another', async () => {
      await until(isCurrent);
      await standby.pauseReplay();
      await addLanguage('shown');
      const { sequence } = storage();
      await until(async () => (await readTagged(gateway, ITEMS, { atLeast: 'now' })).sequence === sequence);
      expect(await read()).to.include({ status: 200, isReplica: false, sequence });
      await standby.resumeReplay();
      await until(isCurrent);
      expect(await read()).to.include({ status: 200, isReplica: true, sequence });
    });
  });

  it('answers from the primary what a replica that is killed does not', async () => {
    await until(isCurrent);
    let isOver = false;
    const statuses: number[] = [];
    const reading = (async () => {
      while (!isOver) statuses.push((await readTagged(core, ITEMS)).status);
    })();
    await standby.stop('KILL');
    await until(() => figures().behind === undefined);
    isOver = true;
    await reading;
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect((await core.health()).parts['replicas']).to.include({ ok: false });
    expect((await core.health()).ok).to.equal(true);
    await standby.start();
    await until(isCurrent);
    expect((await core.health()).parts['replicas']?.detail).to.match(/:\d+ is \d+ ms behind$/);
  });
});
