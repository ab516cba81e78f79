import { join } from 'node:path';
import { expect } from 'chai';
import { backUp } from '../../core/backup/back-up.ts';
import { readManifest } from '../../core/backup/manifest.ts';
import type { Blobs } from '../../core/storage/blobs/blobs.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { countedRows } from '../support/database/counted-rows.ts';
import { openWorkbench } from '../support/service/workbench.ts';

const FILES = 5000;

describe('a backup', () => {
  it('reads the rows of many files some at a time', async () => {
    const bench = await openWorkbench();
    try {
      const hashes = Array.from({ length: FILES }, (_, index) => index.toString(16).padStart(64, '0'));
      const { number: project = 0 } =
        (await bench.sql.get<{ number: number }>('SELECT number FROM project')) ?? {};
      await bench.storage.write((tx) =>
        tx.insert(
          'file',
          ['project', 'id', 'name', 'hash', 'size', 'type', 'created'],
          // Two projects may have the same content.
          [...hashes, ...hashes.slice(0, 10)].map((hash, index) => [
            project,
            `file-${index}`,
            'note.txt',
            hash,
            1,
            'text/plain',
            tx.now,
          ]),
        ),
      );
      let most = 0;
      const sql = countedRows(bench.sql, (rows) => {
        most = Math.max(most, rows);
      });
      const storage = { sql, copyTo: (file: string) => bench.storage.copyTo(file) } as Storage;
      async function* list() {
        for (const hash of hashes) yield { hash, size: 1, modified: 0 };
      }
      const folder = join(bench.folder, 'backup');
      const backup = await backUp({ storage, blobs: { list } as Partial<Blobs> as Blobs }, folder, {
        created: '2030-01-01',
        withFiles: false,
      });
      expect(backup.files).to.equal(FILES);
      expect([...(await readManifest(folder)).files].sort()).to.deep.equal(hashes);
      expect(most, 'rows of a statement').to.be.at.most(2200);
    } finally {
      await bench.close();
    }
  });
});
