import { Writable } from 'node:stream';
import { expect } from 'chai';
import type { Storage } from '../../core/storage/ports.ts';
import { exportProject } from '../../core/transfer/export-project.ts';
import { countedRows } from '../support/database/counted-rows.ts';
import { writeManyVariants } from '../support/projects/many-variants.ts';
import { openWorkbench } from '../support/service/workbench.ts';

const LANGUAGES = 120;
const ITEMS = 50;

describe('an export', () => {
  it('reads the variants of many languages some at a time', async () => {
    const bench = await openWorkbench();
    try {
      await writeManyVariants(bench, { languages: LANGUAGES, items: ITEMS });
      let most = 0;
      const snapshot: Storage['snapshot'] = (work, options) =>
        bench.storage.snapshot(
          (sql) =>
            work(
              countedRows(sql, (rows) => {
                most = Math.max(most, rows);
              }),
            ),
          options,
        );
      const counts = await exportProject(
        { blobs: bench.blobs, storage: { ...bench.storage, snapshot } },
        bench.project.id,
        new Writable({ write: (_chunk, _encoding, done) => done() }),
        { archive: '0f0f0f0f-0000-4000-8000-000000000001', created: '2030-01-01T00:00:00.0000000Z' },
      );
      expect(counts.variants).to.equal(LANGUAGES * ITEMS);
      expect(most, 'rows of a statement').to.be.at.most(2200);
    } finally {
      await bench.close();
    }
  });
});
