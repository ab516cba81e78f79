/**
 * Two cores and a gateway as processes, on a PostgreSQL database with a standby that is promoted while clients write: with a
 * synchronous one nothing that was answered is lost; what an asynchronous one lacks is cached nowhere afterwards.
 */
import '../support/database/postgres-programs.ts';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type PostgresServer, startPostgres } from '../support/database/postgres.ts';
import {
  follow,
  type PostgresStandby,
  startStandby,
  synchronize,
  urlOfServers,
} from '../support/database/postgres-standby.ts';
import { hasAllTests, isLongForm } from '../support/long-form.ts';
import { ADMIN_TOKEN, eventually, RoleProcesses } from '../support/service/role-processes.ts';
import { type HeadwaterProcess, runHeadwater } from '../support/service/run-headwater.ts';

const ROUNDS = isLongForm ? 8 : 1;
const WRITERS = 4;
const HEADERS = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly id?: string; readonly message?: string };
}

if (hasAllTests)
  describe('a failover of PostgreSQL', function () {
    this.timeout(600_000);

    let primary: PostgresServer;
    let standby: PostgresStandby;
    let processes: RoleProcesses;
    let cores: HeadwaterProcess[];
    let url: string;
    let database: string;

    before(async () => {
      primary = await startPostgres();
      standby = await startStandby(primary);
      await synchronize(primary, standby.name);
      database = urlOfServers([primary, standby], await primary.create());
      processes = new RoleProcesses();
      const { folder } = processes;
      const addresses = ['core-1', 'core-2'].map((name) => `unix:${join(folder, `${name}.sock`)}`);
      cores = addresses.map((address, index) =>
        processes.serve(
          processes.environment('core', `core-${index + 1}`, {
            HEADWATER_LISTEN: address,
            HEADWATER_DATABASE_URL: database,
            HEADWATER_DATABASE_REPLICA_URL: database,
            HEADWATER_FILES_DIR: join(folder, 'files'),
            HEADWATER_SAMPLE: 'false',
          }),
        ),
      );
      for (const core of cores) await core.printed(/runs as a core at \S+\.\n/);
      const gateway = { HEADWATER_CORES: addresses.join(','), HEADWATER_PIPELINE__OFF: 'rate-limit' };
      ({ url } = await processes.startGateway('gateway', gateway));
    });
    after(async () => {
      await processes?.stop();
      await primary?.end();
      await standby?.end();
    });

    async function create(name: string): Promise<Answer> {
      const answer = await fetch(`${url}/admin/projects`, {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify({ name }),
        signal: AbortSignal.timeout(30_000),
      });
      return {
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        body: (await answer.json()) as Answer['body'],
      };
    }

    async function created(name: string): Promise<string> {
      const { body } = await eventually(
        () => create(name),
        ({ status }) => status === 201,
      );
      return body.id ?? '';
    }

    const statusOf = async (project: string) => (await fetch(`${url}/delivery/${project}/items`)).status;

    async function projects(): Promise<string[]> {
      const answer = await fetch(`${url}/admin/projects`, {
        headers: { ...HEADERS, 'x-svc-wait-for-loading-new-content': 'true' },
      });
      const { projects: listed } = (await answer.json()) as { projects: { id: string }[] };
      return listed.map(({ id }) => id);
    }

    /** The former primary becomes the standby. */
    async function exchange(): Promise<void> {
      const promoted = standby;
      standby = await follow(primary, promoted);
      primary = promoted;
    }

    it('is prepared as doctor says', async () => {
      const { out } = await runHeadwater(
        ['doctor'],
        processes.environment('core', 'core-3', {
          HEADWATER_DATABASE_URL: database,
          HEADWATER_DATABASE_REPLICA_URL: standby.url(database.split('/').at(-1) ?? ''),
        }),
      );
      expect(out)
        .to.match(/^ok +database servers +\S+ is a primary, \S+ is a standby$/m)
        .and.to.match(/^ok +replication +commits wait for standby_\d+$/m)
        .and.to.match(/^ok +replica \S+ +it (?:has every commit|lacks \d+ commits?)$/m)
        .and.to.match(/^ok +versions +all running processes have /m);
    });

    it('to a synchronous standby loses no write that was answered, and needs no restart', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const answered: string[] = [];
        const refused: Answer[] = [];
        let isOver = false;
        const writers = Array.from({ length: WRITERS }, async (_, writer) => {
          for (let index = 0; !isOver; index++) {
            const answer = await create(`Round ${round}, ${writer}, ${index}`);
            if (answer.status === 201) answered.push(answer.body.id ?? '');
            else {
              refused.push(answer);
              await pause(20);
            }
          }
        });
        await eventually(
          async () => answered.length,
          (count) => count >= 20,
        );
        await primary.stop('KILL');
        await pause(100);
        await standby.promote();
        const before = answered.length;
        await eventually(
          async () => answered.length,
          (count) => count >= before + 20,
        );
        isOver = true;
        await Promise.all(writers);
        await exchange();
        expect(await projects()).to.include.members(answered);
        for (const { status, retryAfter, body } of refused) {
          expect(status, JSON.stringify(body)).to.equal(503);
          // What may have been written is not to be repeated blindly.
          if (!/outcome is unknown/.test(body.message ?? '')) expect(retryAfter).to.match(/^\d+$/);
        }
        if (round < ROUNDS - 1) await synchronize(primary, standby.name);
      }
      expect(cores.some(({ out, err }) => /Another server of the database is used/.test(out + err))).to.equal(
        true,
      );
    });

    it('to a standby that lacks commits leaves nothing of them in any cache, and says so', async () => {
      const kept = await created('kept');
      await standby.disconnect();
      const lost = await created('lost');
      for (const project of [kept, lost]) {
        await eventually(
          () => statusOf(project),
          (status) => status === 200,
        );
      }
      await primary.stop('KILL');
      await standby.promote();
      const after = await created('after');
      await eventually(
        () => statusOf(lost),
        (status) => status === 404,
      );
      expect(await statusOf(kept)).to.equal(200);
      const listed = await projects();
      expect(listed).to.include.members([kept, after]);
      expect(listed).not.to.include(lost);
      expect(cores.some(({ out, err }) => /THE DATABASE MAY HAVE LOST COMMITS/.test(out + err))).to.equal(
        true,
      );
    });
  });
