import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDiskBlobs } from '../../core/storage/blobs/disk.ts';
import { blobSuite } from './blob-suite.ts';

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-blobs-'));
  return {
    folder,
    blobs: await openDiskBlobs(folder),
    reopen: () => openDiskBlobs(folder),
    stored: async () => {
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      return found.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    dispose: () => rm(folder, { recursive: true }),
  };
}

blobSuite('disk', openFolder);

describe('blobs on disk', () => {
  it('removes incomplete files of a killed process', async () => {
    const place = await openFolder();
    await writeFile(join(place.folder, 'unfinished', 'left-over'), 'half');
    await place.reopen();
    expect(await place.stored()).to.deep.equal([]);
    await place.dispose();
  });
});
