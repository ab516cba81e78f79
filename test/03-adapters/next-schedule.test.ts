import '../support/database/postgres-programs.ts';
import { expect } from 'chai';
import { SCHEDULE } from '../../core/jobs/job-kinds.ts';
import { startJob } from '../../core/jobs/jobs.ts';
import { nextDue } from '../../core/publishing/schedule.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { writeManyVariants } from '../support/projects/many-variants.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

describe('the time of the next schedule on PostgreSQL', () => {
  it('is found as fast however many variants are scheduled', async () => {
    const bench = await openWorkbench(postgresDatabase);
    try {
      await writeManyVariants(bench, { languages: 10, items: 1000 });
      const at = '2999-01-01T00:00:00.0000000Z';
      const schedule = (most: number) =>
        bench.run(({ tx }) =>
          tx.run(`UPDATE variant SET scheduled_to = ?, schedule = 'a' WHERE number <= ?`, [at, most]),
        );
      await bench.run(({ tx, project }) =>
        startJob(tx, { id: 'a', kind: SCHEDULE, project: project.number, subject: '', total: 1 }),
      );
      await schedule(100);
      const few = await timeOf(bench);
      await schedule(10_000);
      expect(await nextDue(bench.sql)).to.equal(at);
      expect(await timeOf(bench)).to.be.below(10 * few);
    } finally {
      await bench.close();
    }
  });

  /** Of ten reads, ms; the least of some attempts. */
  async function timeOf({ sql }: Workbench): Promise<number> {
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const start = performance.now();
      for (let read = 0; read < 10; read += 1) await nextDue(sql);
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  }
});
