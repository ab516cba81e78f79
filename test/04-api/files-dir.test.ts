import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { startService } from '../support/service/start-service.ts';

describe('a folder of asset files that several cores share', () => {
  it('has the files of all of them; their data folders are their own', async () => {
    const filesDir = await mkdtemp(join(tmpdir(), 'headwater-shared-'));
    const environment = { HEADWATER_FILES_DIR: filesDir };
    const first = await startService({ environment });
    const second = await startService({ environment });
    try {
      const { hash } = await first.core.operations.blobs.put(Buffer.from('shared'));
      expect(await text(second.core.operations.blobs.open(hash))).to.equal('shared');
      expect(existsSync(join(filesDir, hash.slice(0, 2), hash.slice(2)))).to.equal(true);
      for (const { dataDir, database } of [first, second]) {
        expect(existsSync(join(dataDir, 'headwater.db'))).to.equal(database.url === null);
        expect(existsSync(join(dataDir, 'files'))).to.equal(false);
      }
    } finally {
      await first.stop();
      await second.stop();
      await rm(filesDir, { recursive: true });
    }
  });
});
