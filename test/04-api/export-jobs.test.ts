import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { expect } from 'chai';
import { createAsset } from '../../core/assets/assets.ts';
import { ServiceError } from '../../core/errors.ts';
import { EXPORT } from '../../core/jobs/job-kinds.ts';
import { endJob, findJob, progressJob, startJob } from '../../core/jobs/jobs.ts';
import type { Blobs } from '../../core/storage/blobs/blobs.ts';
import { archiveOf, TransferJobs } from '../../core/transfer/transfer-jobs.ts';
import { AWAY, failingWrites } from '../support/database/failing-writes.ts';
import { storeFile } from '../support/projects/store-file.ts';
import { ADMIN_TOKEN, type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

const OLD = '2020-01-01T00:00:00.0000000Z';

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
    const name = archiveOf(job)!.hash.slice(2);
    // A gateway of its own ends the call to core behind its answer.
    await until(async () => {
      const descriptors = await readdir('/proc/self/fd');
      const open = await Promise.all(
        descriptors.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')),
      );
      return !open.some((path) => path.endsWith(name));
    });
  });

  it('stays complete where its progress is written after its end', async () => {
    const { storage, transfers } = service.core.operations;
    const { id, total } = await exported(transfers);
    await storage.write((tx) => progressJob(tx, id, 1));
    expect(await findJob(storage.sql, id)).to.include({ state: 'done', done: total });
  });

  it('is not ended by progress of a total that is given, even of none, but by its end', async () => {
    const { storage } = service.core.operations;
    const id = randomUUID();
    await storage.write((tx) =>
      startJob(tx, { id, kind: EXPORT, project: null, subject: 'archive', total: 1 }),
    );
    for (const [done, total, shown] of [
      [0, 0, 0],
      [3, 3, 2],
      [1, 5, 1],
    ] as const) {
      await storage.write((tx) => progressJob(tx, id, done, total));
      expect(await findJob(storage.sql, id)).to.include({ state: 'running', done: shown, total });
    }
    await storage.write((tx) => endJob(tx, id, 'done'));
    expect(await findJob(storage.sql, id)).to.include({ state: 'done', done: 5 });
  });

  it('of a project that has grown since it began is done once its archive is stored', async () => {
    const { operations } = service.core;
    const { storage, blobs } = operations;
    let job = '';
    const jobs = new TransferJobs(
      {
        ...operations,
        blobs: {
          open: (hash: string) => blobs.open(hash),
          async put(bytes: AsyncIterable<Uint8Array>) {
            const stored = await blobs.put(bytes);
            await until(async () => (await findJob(storage.sql, job)).done > 10);
            return stored;
          },
          remove: (hash: string) => blobs.remove(hash),
        } as Partial<Blobs> as Blobs,
      },
      () => {},
    );
    job = await operations.installation(null, (to) => jobs.createExport(to, project));
    await storage.write((tx) => tx.run('UPDATE job SET total = 10 WHERE id = ?', [job]));
    jobs.runExport(job, project);
    await jobs.idle();
    const found = await findJob(storage.sql, job);
    expect(archiveOf(found), JSON.stringify(found)).to.be.an('object');
    expect(found).to.include({ state: 'done', total: found.done });
  });

  it('that ends before it is canceled is not canceled, and its archive is removed', async () => {
    const { operations } = service.core;
    const { transfers, blobs, storage } = operations;
    const { result } = await exported(transfers);
    const { hash } = JSON.parse(result!);
    const job = await operations.installation(null, (to) => transfers.createExport(to, project));
    const removeArchive = await storage.write(async (tx) => {
      await endJob(tx, job, 'done', null, result);
      return transfers.remove(tx, project, job);
    });
    await removeArchive();
    expect((await findJob(storage.sql, job)).state).to.equal('done');
    expect(await blobs.size(hash)).to.equal(undefined);
  });

  it('keeps the name of its archive until that is removed', async () => {
    const { operations } = service.core;
    const { storage, transfers } = operations;
    const job = await exported(transfers);
    const { hash } = archiveOf(job)!;
    const blobs = { remove: () => Promise.reject(new Error('The store does not answer.')) };
    const without = new TransferJobs({ ...operations, blobs: blobs as Partial<Blobs> as Blobs }, () => {});
    const removeArchive = await storage.write((tx) => without.remove(tx, project, job.id));
    await removeArchive().catch(() => {});
    const removeAgain = await storage.write((tx) => transfers.remove(tx, project, job.id));
    await removeAgain();
    expect(await operations.blobs.size(hash)).to.equal(undefined);
    expect(archiveOf(await findJob(storage.sql, job.id))).to.equal(undefined);
  });

  it('loses its archive after a day, however many exports are newer', async () => {
    const { operations } = service.core;
    const { storage } = operations;
    const { id, result } = await exported(operations.transfers);
    const { hash } = JSON.parse(result!);
    await storage.write(async (tx) => {
      await tx.run('UPDATE job SET created = ?, updated = ? WHERE id = ?', [OLD, OLD, id]);
      const columns = ['id', 'project', 'kind', 'subject', 'state', 'created', 'updated'];
      const newer = Array.from({ length: 1001 }, () => randomUUID());
      await tx.insert(
        'job',
        columns,
        newer.map((one) => [one, null, 'export', 'archive', 'done', tx.now, tx.now]),
      );
    });
    const jobs = new TransferJobs(operations, (error) => expect.fail(String(error)));
    jobs.start();
    try {
      await until(async () => (await findJob(storage.sql, id)).result === null);
    } finally {
      await jobs.close();
    }
    expect(await operations.blobs.size(hash)).to.equal(undefined);
  });

  it('ends where its archive cannot be stored, and says why', async () => {
    const { operations } = service.core;
    await operations.inProject(project, null, async (transaction) => {
      const content = randomBytes(8 * 2 ** 20);
      const file = { name: 'large.bin', type: 'application/octet-stream', content };
      await createAsset(transaction, { file: (await storeFile(transaction, operations.blobs, file)).id });
    });
    const full = new ServiceError('insufficientStorage', 'The disk is full.');
    const blobs = {
      open: (hash: string) => operations.blobs.open(hash),
      put: () => Promise.reject(full),
    } as Partial<Blobs> as Blobs;
    const jobs = new TransferJobs({ ...operations, blobs }, () => {});
    expect(await exported(jobs)).to.include({ state: 'failed', error: 'The disk is full.' });
  });

  it('that fails while the database is away ends once that answers', async () => {
    const { operations } = service.core;
    const blobs = { put: () => Promise.reject(AWAY) } as Partial<Blobs> as Blobs;
    const storage = failingWrites(operations.storage, 2);
    const jobs = new TransferJobs({ ...operations, blobs, storage }, () => {});
    expect(await exported(jobs)).to.include({ state: 'failed', error: AWAY.message });
  });
});
