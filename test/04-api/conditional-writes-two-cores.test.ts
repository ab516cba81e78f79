/** Writers with the same `If-Match` at two cores of one PostgreSQL database. */
import '../support/database/postgres-programs.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRole } from '../../core/access/roles.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import type { CoreRequest } from '../../core/contract.ts';
import { ServiceError } from '../../core/contract.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';

const ROUNDS = 10;

describe('conditional writes at two cores', () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  const cores: RunningCore[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-conditional-'));
    database = await postgresDatabase();
    for (const name of ['one', 'two'])
      cores.push(
        await openCore({
          dataDir: join(folder, name),
          databaseUrl: database.url,
          filesDir: join(folder, 'files'),
          log: SILENT,
          ...(name === 'two' && { duties: [] }),
        }),
      );
  });
  after(async () => {
    for (const core of cores) await core.close();
    await rm(folder, { recursive: true });
    await database.remove();
  });

  async function call(core: RunningCore, method: string, path: string, etag?: string, body?: unknown) {
    const request: CoreRequest = {
      surface: 'admin',
      method,
      path,
      query: '',
      headers: { 'content-type': 'application/json', ...(etag !== undefined && { 'if-match': etag }) },
      bases: { self: 'http://127.0.0.1/admin', assets: 'http://127.0.0.1/assets' },
      principal: { kind: 'admin' },
      requestId: 'test',
      ...(body !== undefined && {
        body: (async function* () {
          yield Buffer.from(JSON.stringify(body));
        })(),
      }),
    };
    try {
      const { status, headers } = await core.handle(request);
      return { status, etag: headers['etag'] };
    } catch (error) {
      if (error instanceof ServiceError) return { status: error.status, etag: undefined };
      throw error;
    }
  }

  it('win once for each ETag', async () => {
    const { id } = await cores[0]!.operations.installation(null, (to) =>
      createRole(to, { name: 'Writer', codename: 'writer', permissions: [] }),
    );
    const path = `/roles/${id}`;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { etag } = await call(cores[round % 2]!, 'GET', path);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          call(cores[n % 2]!, 'PATCH', path, etag, { name: `Writer ${round} ${n}` }),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won, JSON.stringify(answers)).to.have.length(1);
      expect(answers.filter(({ status }) => status === 412)).to.have.length(7);
      expect((await call(cores[0]!, 'GET', path)).etag).to.equal(won[0]!.etag);
    }
  });
});
