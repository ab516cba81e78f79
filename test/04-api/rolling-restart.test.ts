/** Each process is replaced in turn, by one of this build or of the next release, while clients read and write. */
import '../support/database/postgres-programs.ts';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { tilesImage } from '../support/images/test-images.ts';
import { hasAllTests, isLongForm, longTest } from '../support/long-form.ts';
import { ADMIN_TOKEN, RollingInstallation } from '../support/rolling/installation.ts';
import { type LoadReport, MixedLoad, quantile } from '../support/rolling/mixed-load.ts';
import { makeNextBuild, NEXT_VERSION } from '../support/rolling/next-build.ts';
import { runCommand } from '../support/service/run-command.ts';
import { until } from '../support/until.ts';

const SIZE = isLongForm
  ? { gateways: 4, cores: 2, workers: 1 as const }
  : { gateways: 2, cores: 2, workers: 0 as const };
const PER_SECOND = isLongForm ? 200 : 40;
/** The same load without restarts, before each of them in the long form. */
const CALM_MS = 20_000;

if (hasAllTests)
  describe('a rolling restart', function () {
    this.timeout(600_000);
    this.slow(30_000);

    let server: PostgresServer;
    let database: string;
    let folder: string;
    let installation: RollingInstallation;
    let load: MixedLoad;
    let next: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'headwater-rolling-'));
      server = await postgresServer();
      database = await server.create();
      installation = await RollingInstallation.start({
        folder: join(folder, 'data'),
        databaseUrl: server.url(database),
        ...SIZE,
      });
      const { https: url, ca } = installation.nginx;
      const image = SIZE.workers > 0 ? await tilesImage(12, 12).jpeg().toBuffer() : undefined;
      load = await MixedLoad.prepare({ url, ca, image });
      await mkdir(join(folder, 'next'), { recursive: true });
      next = await makeNextBuild(join(folder, 'next'));
    });
    after(async () => {
      load?.close();
      await installation?.stop();
      if (database) await server.drop(database);
      await rm(folder, { recursive: true, force: true });
    });

    /** @throws where a request failed, or a write is lost */
    async function underLoad(work: () => Promise<void>): Promise<void> {
      if (isLongForm) {
        const ends = performance.now() + CALM_MS;
        const calm = await load.run(PER_SECOND, () => performance.now() > ends);
        console.log(`      without restarts: ${figuresOf(calm)}`);
        expect(calm.failed).to.deep.equal([]);
      }
      let isOver = false;
      const [report] = await Promise.all([
        load.run(PER_SECOND, () => isOver),
        work().finally(() => {
          isOver = true;
        }),
      ]);
      if (isLongForm) console.log(`      with them: ${figuresOf(report)}`);
      const failed = report.failed.slice(0, 20);
      if (failed.length > 0)
        failed.unshift(`${report.failed.length} of ${report.requests}`, await installation.logs());
      expect(failed.join('\n')).to.equal('');
      expect(report.writes).to.be.at.least(Math.floor(report.requests / 20));
      expect(await load.lost()).to.deep.equal([]);
    }

    longTest('of all processes loses no request and no write', () => underLoad(() => installation.restart()));

    it('to the next release, with a migration and the next internal protocol, loses none either', async () => {
      let doctor = '';
      await underLoad(() =>
        installation.restart(next, async (name) => {
          if (name !== 'core-1') return;
          const environment = {
            HEADWATER_DATA_DIR: join(folder, 'doctor'),
            HEADWATER_DATABASE_URL: server.url(database),
          };
          doctor = (await runCommand(['doctor'], environment)).out;
        }),
      );
      expect(doctor).to.match(
        new RegExp(`versions +running processes have .*${NEXT_VERSION}.*; finish the upgrade`),
      );
      const [gateway] = installation.gateways;
      const listed = async () => {
        const answer = await fetch(`http://127.0.0.1:${gateway!.port}/admin/processes`, {
          headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        });
        return ((await answer.json()) as { processes: { version: string; protocol: number }[] }).processes;
      };
      // A core may list what ended for some seconds more.
      await until(async () => (await listed()).length === SIZE.gateways + SIZE.cores);
      const processes = await listed();
      for (const { version, protocol } of processes)
        expect({ version, protocol }).to.deep.equal({ version: NEXT_VERSION, protocol: 2 });
    });

    longTest('back to this release, on the newer schema, loses none either', () =>
      underLoad(() => installation.restart()),
    );
  });

function figuresOf(report: LoadReport): string {
  const { requests, writes, leftOut, failed, milliseconds, cpu } = report;
  const rate = ((requests * 1000) / milliseconds).toFixed(0);
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(report, share).toFixed(0));
  return `${requests} requests (${rate} a second), ${writes} writes, ${failed.length} failed, ${leftOut} left out; p50 ${p50} ms, p99 ${p99} ms; the client used ${(cpu / 10 / milliseconds).toFixed(0)} % of a CPU`;
}
