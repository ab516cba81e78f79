import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openDiskBlobs } from '../../core/storage/blobs/disk-blobs.ts';
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

  it('keeps incomplete files of other processes that share the folder, unless they are a day old', async () => {
    const place = await openFolder();
    const content = (async function* () {
      yield Buffer.from('half');
      await openDiskBlobs(place.folder, { isShared: true });
      yield Buffer.from(' and half');
    })();
    const abandoned = join(place.folder, 'unfinished', 'abandoned');
    await writeFile(abandoned, 'half');
    const before = Date.now() / 1000 - 25 * 60 * 60;
    await utimes(abandoned, before, before);
    const { hash } = await place.blobs.put(content);
    expect((await place.blobs.read(hash)).toString()).to.equal('half and half');
    expect(await place.stored()).to.deep.equal([hash.slice(2)]);
    await place.dispose();
  });

  it('lists on while others remove what it has not reached', async () => {
    const place = await openFolder();
    const names = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(62, '0'));
    await mkdir(join(place.folder, 'aa'));
    for (const name of names) await writeFile(join(place.folder, 'aa', name), 'content');
    const listed: string[] = [];
    for await (const { hash } of place.blobs.list()) {
      if (listed.length === 0) for (const name of names.slice(90)) await place.blobs.remove(`aa${name}`);
      listed.push(hash);
    }
    const removed = new Set(names.slice(90));
    expect(listed.filter((hash) => !removed.has(hash.slice(2)))).to.have.lengthOf(90);
    await place.dispose();
  });
});
