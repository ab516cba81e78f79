import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../../support/database/postgres.ts';
import { tilesImage } from '../../support/images/test-images.ts';
import { RollingInstallation } from '../../support/rolling/installation.ts';
import { type LoadReport, MixedLoad, quantile } from '../../support/rolling/mixed-load.ts';
import { makeNextBuild } from '../../support/rolling/next-build.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { endWithAll } from '../processes.ts';

const GATEWAYS = 4;
const CORES = 2;
const PER_SECOND = 200;
const CALM_MS = 30_000;

/** Each process is replaced in turn, by one of this build and of the next release. */
export const rollingRestart: Measure = {
  name: 'rolling-restart',
  about: `${GATEWAYS} gateways, ${CORES} cores on PostgreSQL and a worker behind nginx, ${PER_SECOND} requests/s, a tenth of them writes; each process is restarted in turn, then replaced by a build with one more migration and the next internal protocol: failed requests; p99 ÷ that of the same load before`,
  async run({ datasets, progress, requests }: Bench): Promise<readonly Figure[]> {
    const folder = await datasets.folder('rolling');
    const server = await startPostgres({ durable: true, settings: ['autovacuum = on'] });
    endWithAll(() => server.end());
    const databaseUrl = server.url(await server.create());
    const installation = await RollingInstallation.start({
      folder: join(folder, 'data'),
      databaseUrl,
      gateways: GATEWAYS,
      cores: CORES,
      workers: 1,
    });
    endWithAll(() => installation.stop());
    const { https: url, ca } = installation.nginx;
    const load = await MixedLoad.prepare({ url, ca, image: await tilesImage(12, 12).jpeg().toBuffer() });
    const calm = () => {
      const ends = performance.now() + requests(CALM_MS);
      return load.run(PER_SECOND, () => performance.now() > ends);
    };
    const beside = async (work: () => Promise<void>): Promise<LoadReport> => {
      let isOver = false;
      const working = work().finally(() => {
        isOver = true;
      });
      const report = await load.run(PER_SECOND, () => isOver);
      await working;
      return report;
    };
    const program = join(folder, 'next');
    await mkdir(program);
    const next = await makeNextBuild(program);
    const figures: Figure[] = [];
    // Its requests warm the processes up.
    await calm();
    for (const [name, work] of [
      ['restart', () => installation.restart()],
      ['upgrade', () => installation.restart(next)],
    ] as const) {
      const before = await calm();
      const during = await beside(work);
      for (const one of [...before.failed, ...during.failed].slice(0, 10)) progress(`  ${one}`);
      const lost = await load.lost();
      for (const one of lost) progress(`  ${one}`);
      figures.push(
        {
          name: `${name}: requests that failed, and writes that are lost`,
          value: during.failed.length + lost.length,
          unit: '×',
          target: { atMost: 0 },
          detail: `of ${during.requests}, ${during.writes} of them writes; ${during.leftOut} were left out; ${before.failed.length} of ${before.requests} before`,
        },
        {
          name: `${name}: p99 ÷ that of the same load before`,
          value: p99(during) / p99(before),
          unit: '×',
          target: { atMost: 3 },
          detail: `${p99(during).toFixed(0)} ms ÷ ${p99(before).toFixed(0)} ms`,
        },
      );
    }
    load.close();
    return figures;
  },
  compare: { leftOut: 'an earlier version cannot run beside the next one' },
};

function p99(report: LoadReport): number {
  return quantile(report, 0.99);
}
