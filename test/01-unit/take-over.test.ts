import { expect } from 'chai';
import type { Resources } from '../../core/compose/open-resources.ts';
import type { Background } from '../../core/compose/start-background.ts';
import type { Duties } from '../../core/compose/take-duties.ts';
import { startTakeOver } from '../../core/compose/take-over.ts';
import { EXPORT } from '../../core/jobs/job-kinds.ts';
import { findJob, startJob } from '../../core/jobs/jobs.ts';
import { SoleOwner } from '../../core/storage/owner.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { openWorkbench } from '../support/service/workbench.ts';

describe('the take-over of work', () => {
  it('includes that of a process that was found to have ended while this one started', async () => {
    const bench = await openWorkbench();
    const id = '5e2f7b1a-0000-4000-8000-000000000001';
    const job = { id, kind: EXPORT, project: null, subject: 'archive', total: 1, owner: 'ended' };
    await bench.storage.write((tx) => startJob(tx, job));
    const write = bench.storage.write.bind(bench.storage);
    // It reports no process that ends later.
    const owner = new SoleOwner();
    const storage = { sql: bench.sql, write, owner } as Partial<Storage> as Storage;
    const loop = startTakeOver(
      { storage, failed: () => () => expect.fail() } as Partial<Resources> as Resources,
      { actJobs: { takeOver: async () => {} } } as Partial<Background> as Background,
      { webhooks: false, takesOver: true } as Partial<Duties> as Duties,
    );
    await loop.close();
    const { state } = await findJob(bench.sql, id);
    await bench.close();
    expect(state).to.equal('failed');
  });
});
