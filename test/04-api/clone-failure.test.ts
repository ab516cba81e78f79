import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createCore, type RunningCore } from '../../core/compose/create-core.ts';
import { ServiceError } from '../../core/contract.ts';
import { findJob } from '../../core/jobs/jobs.ts';
import { runExclusively } from '../../core/transfer/running-imports.ts';

/** So many imports run at a time. */
const IMPORTS = 4;

describe('a clone that the service cannot make at present', () => {
  let folder: string;
  let core: RunningCore;
  const logged: unknown[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-clone-'));
    core = await createCore({
      dataDir: folder,
      vendor: { header: ['SVC'], mediaType: 'service' },
      log: { info() {}, warn() {}, error: (fields) => logged.push((fields as { error?: unknown }).error) },
    });
  });
  after(async () => {
    await core.close();
    await rm(folder, { recursive: true });
  });

  it('fails with the reason, which the log has too', async () => {
    const { operations } = core;
    const { transfers, storage } = operations;
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const imports = Array.from({ length: IMPORTS }, (_, at) =>
      runExclusively(storage, `project ${at}`, () => ended),
    );
    const { id } = await operations.installation(null, (to) => createProject(to, { name: 'Harbour' }));
    const clone = await operations.installation(null, (to) => transfers.createClone(to, id, 'Copy'));
    transfers.runClone(clone.job, id, { id: clone.id, name: 'Copy', actor: null });
    await transfers.idle();
    end();
    await Promise.all(imports);
    const { state, error } = await findJob(storage.sql, clone.job);
    expect(state).to.equal('failed');
    expect(error).to.include('4 archives are being imported');
    expect(logged.map((one) => one instanceof ServiceError && one.status)).to.deep.equal([503]);
  });
});
