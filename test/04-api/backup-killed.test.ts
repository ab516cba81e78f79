/** `headwater backup` and `headwater restore`, killed at any moment: the data are those before or those after. */
import '../support/database/postgres-programs.ts';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { type PostgresServer, postgresServer } from '../support/database/postgres.ts';
import { hasAllTests, isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { runCommand, ServiceHere, WITHOUT_IMAGE } from '../support/service/run-command.ts';
import { HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';

/** Of each command. */
const KILLS = isLongForm ? 25 : 1;
const MOMENTS = `${KILLS} ${KILLS === 1 ? 'moment' : 'moments'}`;
const SEED = testSeed();
const FILES = /^ok +asset files +[1-9]\d*, all there/m;

for (const database of hasAllTests ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const))
  describe(`backup and restore that are killed, on ${database}`, function () {
    this.slow(20_000);
    const random = new Random(SEED);
    let server: PostgresServer;
    let name: string;
    let folder: string;
    let environment: Record<string, string>;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'headwater-killed-'));
      environment = {
        ...IN_PLACE,
        HEADWATER_DATA_DIR: join(folder, 'data'),
        HEADWATER_PORT: '0',
        HEADWATER_TLS_PORT: '0',
      };
      if (database === 'PostgreSQL') {
        server = await postgresServer();
        name = await server.create();
        environment['HEADWATER_DATABASE_URL'] = server.url(name);
      }
      // The sample has files.
      const service = new ServiceHere(environment);
      await service.printed(/http:\/\/[\d.:]+/);
      expect((await service.stop()).code).to.equal(0);
    });
    after(async () => {
      if (name) await server.drop(name);
      await rm(folder, { recursive: true, force: true });
    });

    /** A restore that ends adds a row to the audit log. */
    async function digests() {
      const storage: Storage =
        database === 'PostgreSQL'
          ? await openPostgres({ url: server.url(name) })
          : await openSqlite({ file: join(folder, 'data/headwater.db') });
      const all = await storage.digests().finally(() => storage.close());
      return all.filter(({ table }) => table !== 'audit');
    }

    /** Repeats a command that finds the lock of a process of which the server does not know yet that it was killed. */
    async function run(...words: string[]): Promise<string> {
      for (let times = 0; ; times += 1) {
        const { code, out, err } = await runCommand(words, environment, folder);
        if (code === 0) return out;
        if (times === 20 || code === 2) throw new Error(`${words.join(' ')}: ${err} (seed ${SEED})`);
        await pause(500);
      }
    }

    /** @returns whether it ended before the kill */
    async function killed(words: string[], duration: number): Promise<boolean> {
      const running = new HeadwaterProcess(words, environment);
      await pause(duration * (0.2 + 0.8 * random.next()));
      running.signal('SIGKILL');
      return (await running.ended).code === 0;
    }

    async function timed(words: string[]): Promise<number> {
      const began = performance.now();
      const { code, err } = await new HeadwaterProcess(words, environment).ended;
      expect(code, err).to.equal(0);
      return performance.now() - began;
    }

    it(`leave no half backup under its name, at ${MOMENTS}, and a repeated one is complete`, async () => {
      const duration = await timed(['backup', '--to', join(folder, 'first')]);
      const place = join(folder, 'backup');
      for (let kill = 0; kill < KILLS; kill += 1) {
        const isComplete = await killed(['backup', '--to', place], duration);
        if (isComplete) expect(existsSync(place)).to.equal(true);
        if (!existsSync(place)) continue;
        await run('restore', '--replace', '--from', place);
        await rm(place, { recursive: true });
      }
      const before = await digests();
      await run('backup', '--to', place);
      expect((await readdir(folder)).filter((entry) => entry.startsWith('backup'))).to.deep.equal(['backup']);
      await run('generate', '--items', '20');
      expect(await digests()).to.not.deep.equal(before);
      await run('restore', '--replace', '--from', place);
      expect(await digests()).to.deep.equal(before);
    });

    it(`leave the data of before or those of the backup, at ${MOMENTS} of a restore`, async () => {
      const [older, newer] = [join(folder, 'older'), join(folder, 'newer')];
      await run('backup', '--to', older);
      const restored = await digests();
      await run('generate', '--items', '100');
      await run('backup', '--to', newer);
      const present = await digests();
      expect(present).to.not.deep.equal(restored);
      const duration = await timed(['restore', '--replace', '--from', older]);
      expect(await digests()).to.deep.equal(restored);
      await run('restore', '--replace', '--from', newer);
      for (let kill = 0; kill < KILLS; kill += 1) {
        const isComplete = await killed(['restore', '--replace', '--from', older], duration);
        const { out } = await runCommand(['doctor', ...WITHOUT_IMAGE], environment, folder);
        expect(out, `seed ${SEED}`).to.match(FILES);
        const found = JSON.stringify(await digests());
        if (isComplete) expect(found, `seed ${SEED}`).to.equal(JSON.stringify(restored));
        else expect([JSON.stringify(present), JSON.stringify(restored)], `seed ${SEED}`).to.include(found);
        if (found !== JSON.stringify(present)) await run('restore', '--replace', '--from', newer);
      }
      await run('restore', '--replace', '--from', older);
      expect(await digests()).to.deep.equal(restored);
      const copies = await readdir(join(folder, 'data/temporary'));
      expect(copies, 'copies of killed restores').to.deep.equal([]);
    });
  });
