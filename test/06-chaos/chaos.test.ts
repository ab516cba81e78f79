/**
 * `npm run test:chaos` runs 200 schedules of faults instead of one, with longer faults. A failure prints its seed;
 * `HEADWATER_TEST_SEED=17 npm run test:chaos` runs that schedule alone. The faults are the same then; the moments at which they
 * meet the requests differ.
 */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLongForm } from '../support/long-form.ts';
import { SmallFolder } from '../support/programs/small-folder.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { startDeliveryRecord } from '../support/webhooks/delivery-record.ts';
import { makeArchive } from './clients/imports.ts';
import { Engines } from './cluster/engines.ts';
import { openInstallation } from './cluster/installation.ts';
import { runSchedule } from './schedule.ts';

const SCHEDULES = isLongForm ? 200 : 1;
const ROUNDS = isLongForm ? 4 : 1;
const LONGEST_MS = isLongForm ? 20_000 : 3000;
const CORE_DISK_MEGABYTES = 64;

describe('the whole installation under faults', function () {
  this.timeout(600_000);
  let engines: Engines;
  let archive: Buffer;

  before(async () => {
    engines = await Engines.start();
    const folder = await mkdtemp(join(tmpdir(), 'headwater-chaos-'));
    const core = await openInstallation(folder);
    archive = await makeArchive(core);
    await core.close();
    await rm(folder, { recursive: true });
  });
  after(() => engines?.end());

  for (const seed of testSeeds(SCHEDULES)) {
    // One of four: a core with SQLite.
    const isEmbedded = seed % 4 === 0;
    const of = isEmbedded ? 'a core with SQLite' : 'two cores with PostgreSQL';
    it(`${of}: keep what they acknowledged, in one order, and recover (HEADWATER_TEST_SEED=${seed})`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headwater-chaos-'));
      const stageEnded = stages();
      const disk = await SmallFolder.make({ megabytes: CORE_DISK_MEGABYTES });
      const deliveries = await startDeliveryRecord(() => 0);
      deliveries.isWell = true;
      const database = isEmbedded ? undefined : await engines.primary.create();
      try {
        const bucket = await engines.newBucket();
        const { failures, seen } = await runSchedule({
          seed,
          folder,
          disk,
          engines,
          database,
          bucket,
          deliveries,
          archive,
          rounds: ROUNDS,
          longest: LONGEST_MS,
          stageEnded,
        });
        if (isLongForm) for (const line of seen) console.log(`      ${line}`);
        if (failures.length > 0) throw new Error(failures.join('\n\n'));
      } finally {
        await deliveries.close();
        if (database !== undefined) await engines.primary.drop(database);
        await disk.end();
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});

/** Prints the seconds that each stage of a long schedule took. */
function stages(): (name: string) => void {
  let last = performance.now();
  return (name) => {
    const seconds = (performance.now() - last) / 1000;
    last = performance.now();
    if (isLongForm) console.log(`      ${seconds.toFixed(1)} s: ${name}`);
  };
}
