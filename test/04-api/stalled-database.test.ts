/** Tables of a real PostgreSQL that another session has locked: every statement that needs them waits, and the server says it works. */
import '../support/database/postgres-programs.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import type { ServiceError } from '../../core/contract.ts';
import { coreRequest } from '../support/gateway/remote-core.ts';
import { CoresOnOneDatabase } from '../support/service/cores-on-one-database.ts';
import { shortenDeadlines } from '../support/service/shorten-deadlines.ts';

const READS = ['usage', 'preview-urls', 'webhooks'];

describe('while its tables are locked', () => {
  let cores: CoresOnOneDatabase;
  let core: RunningCore;
  let project: string;
  let unlock = () => {};
  let locked: Promise<unknown> = Promise.resolve();

  before(async () => {
    cores = await CoresOnOneDatabase.open();
    core = cores.core;
    ({ id: project } = await core.operations.installation(null, (to) => createProject(to, { name: 'One' })));
  });
  after(() => cores.close());

  beforeEach(async () => {
    const other = await cores.storage();
    await new Promise<void>((resolve, reject) => {
      locked = other
        .write(async (tx) => {
          // 'run' would not wait for the lock.
          await tx.all('LOCK TABLE project IN ACCESS EXCLUSIVE MODE');
          resolve();
          await new Promise<void>((release) => {
            unlock = release;
          });
        })
        .finally(() => other.close());
      locked.catch(reject);
    });
  });
  afterEach(async () => {
    unlock();
    await locked;
  });

  const get = (path: string) =>
    core
      .handle(
        coreRequest({
          surface: 'admin',
          method: 'GET',
          path: `/projects/${project}/${path}`,
          principal: { kind: 'admin' },
        }),
      )
      .then(
        ({ status }) => status,
        ({ status, headers }: ServiceError) => [status, headers['retry-after']],
      );

  for (const path of READS)
    it(`GET ${path} is refused in time, whatever it waits for`, async () => {
      const restore = shortenDeadlines();
      const answer = get(path);
      restore();
      const late = pause(5000, 'no answer');
      expect(await Promise.race([answer, late])).to.deep.equal([503, '1']);
      unlock();
      await locked;
      expect(await get(path)).to.equal(200);
    });
});
