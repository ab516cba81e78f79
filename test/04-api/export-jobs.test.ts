import { readdir, readlink } from 'node:fs/promises';
import { expect } from 'chai';
import { findJob } from '../../core/jobs/jobs.ts';
import { archiveOf, type TransferJobs } from '../../core/transfer/transfer-jobs.ts';
import { ADMIN_TOKEN, type RunningService, startService } from '../support/service/start-service.ts';

describe('an export as a job', () => {
  let service: RunningService;
  let project: string;

  before(async () => {
    service = await startService({ sample: true });
    project = service.sample!.projectId;
  });
  after(() => service.stop());

  /** @param jobs that run it */
  async function exported(jobs: Pick<TransferJobs, 'createExport' | 'runExport' | 'idle'>) {
    const { operations } = service.core;
    const job = await operations.installation(null, (to) => jobs.createExport(to, project));
    jobs.runExport(job, project);
    await jobs.idle();
    return findJob(operations.storage.sql, job);
  }

  it('keeps no file open for a HEAD of its archive', async () => {
    const job = await exported(service.core.operations.transfers);
    const url = `${service.url}/admin/projects/${project}/exports/${job.id}`;
    const { status } = await fetch(url, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(status).to.equal(200);
    const descriptors = await readdir('/proc/self/fd');
    const open = await Promise.all(
      descriptors.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
    );
    const name = archiveOf(job)!.hash.slice(2);
    expect(open.filter((path) => path.endsWith(name))).to.deep.equal([]);
  });
});
