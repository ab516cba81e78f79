/** A write behind a long one on SQLite, where one process has the data and nothing outside it stalls. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { coreRequest } from '../support/gateway/remote-core.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { shortenDeadlines } from '../support/service/shorten-deadlines.ts';

describe('a write behind a long one on SQLite', () => {
  it('waits for its turn, as no deadline of a database server applies', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-embedded-'));
    const core = await openCore({
      dataDir,
      // As the settings have it.
      databaseUrl: null,
      log: SILENT,
      duties: [],
    });
    let release = () => {};
    try {
      const { id } = await core.operations.installation(null, (to) => createProject(to, { name: 'One' }));
      const long = core.operations.storage.write(async (tx) => {
        await tx.all('SELECT 1 AS one');
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      });
      const restore = shortenDeadlines(4000);
      const answer = core
        .handle(
          coreRequest({
            surface: 'admin',
            method: 'DELETE',
            path: `/projects/${id}`,
            principal: { kind: 'admin' },
          }),
        )
        .then(
          ({ status }) => status,
          ({ status }) => status,
        );
      expect(await Promise.race([answer, pause(2000, 'waits')])).to.equal('waits');
      restore();
      release();
      await long;
      expect(await answer).to.equal(204);
    } finally {
      release();
      await core.close();
      await rm(dataDir, { recursive: true });
    }
  });
});
