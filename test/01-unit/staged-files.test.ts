import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { Issues } from '../../core/model/issues.ts';
import type { Transaction } from '../../core/storage/ports.ts';
import type { ArchiveFile } from '../../core/transfer/archive-rows.ts';
import { StagedFiles } from '../../core/transfer/staged-files.ts';
import { isPostgres } from '../support/database/test-database.ts';
import { openWorkbench } from '../support/service/workbench.ts';

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

describe('the files of an archive', () => {
  it('are described without a search of all files for each', async () => {
    const bench = await openWorkbench();
    try {
      const files = new StagedFiles(bench.blobs, new Issues());
      const rows: (string | number)[][] = [];
      const { number: project } = (await bench.sql.get<{ number: number }>('SELECT number FROM project')) ?? {
        number: 0,
      };
      for (const text of ['one', 'two', 'three']) {
        const bytes = Buffer.from(text);
        const hash = createHash('sha256').update(bytes).digest('hex');
        await files.take({
          name: `files/${hash}`,
          content: inOnePiece(bytes),
          text: async () => text,
          lines: async function* () {},
        });
        files.expect({ hash, size: bytes.length } as ArchiveFile);
        rows.push([project, `file-${text}`, text, hash, bytes.length, 'text/plain', 7, 7, 'now']);
      }
      const statements = new Set<string>();
      await bench.storage.write(async (tx) => {
        await tx.insert(
          'file',
          ['project', 'id', 'name', 'hash', 'size', 'type', 'width', 'height', 'created'],
          rows,
        );
        await files.describe(noting(tx, statements), project);
      });
      await files.drop();
      expect(
        await bench.sql.all('SELECT id FROM file WHERE width IS NULL AND height IS NULL ORDER BY id'),
      ).to.deep.equal([{ id: 'file-one' }, { id: 'file-three' }, { id: 'file-two' }]);
      expect(await bench.sql.all('SELECT hash FROM content_facts')).to.have.length(3);
      if (isPostgres()) return;
      for (const text of statements) {
        const plan = await bench.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
        expect(plan.map(({ detail }) => detail).join('; '), text).not.to.match(/SCAN file/);
      }
    } finally {
      await bench.close();
    }
  });
});

function noting(tx: Transaction, statements: Set<string>): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      const method = (Reflect.get(target, name) as (...given: unknown[]) => unknown).bind(target);
      return (...given: unknown[]) => {
        if (name === 'run' || name === 'all') statements.add(String(given[0]));
        return method(...given);
      };
    },
  });
}
