/** Core on PostgreSQL with a read replica: which answers come from there, and that its faults show in none. */
import '../support/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createCore, type RunningCore } from '../../core/compose/create-core.ts';
import { loadSample } from '../../core/sample/load-sample.ts';
import type { ReplicaFigures } from '../../core/storage/ports.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type PostgresStandby, startStandby } from '../support/postgres-standby.ts';
import { SAMPLE_PROJECT } from '../support/role-processes.ts';
import { readTagged } from '../support/tagged-answers.ts';
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
    core = await createCore({
      dataDir: join(folder, 'core'),
      databaseUrl: primary.url(database),
      databaseReplicaUrl: standby.url(database),
      vendor: { header: ['SVC'], mediaType: 'service' },
      log: { info() {}, warn() {}, error() {} },
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
