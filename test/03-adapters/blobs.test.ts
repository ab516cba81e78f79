import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Blobs } from '../../core/storage/blobs/blobs.ts';
import { openDiskBlobs } from '../../core/storage/blobs/disk.ts';

/** What every store of blobs promises. */
function blobSuite(name: string, open: () => Promise<Blobs>): void {
  describe(`blobs: ${name}`, () => {
    let blobs: Blobs;

    before(async () => {
      blobs = await open();
    });

    it('come back as they went in, under their SHA-256', async () => {
      const content = Buffer.from('a picture');
      const { hash, size } = await blobs.put(content);
      expect(hash).to.equal(createHash('sha256').update(content).digest('hex'));
      expect(size).to.equal(content.length);
      expect(await blobs.size(hash)).to.equal(content.length);
      expect(await buffer(blobs.open(hash))).to.deep.equal(content);
    });

    it('are taken as a stream and given in ranges', async () => {
      const { hash, size } = await blobs.put(
        (async function* () {
          for (let part = 0; part < 10; part++) yield Buffer.alloc(1000, part);
        })(),
      );
      expect(size).to.equal(10_000);
      expect(await buffer(blobs.open(hash, { start: 999, end: 1000 }))).to.deep.equal(Buffer.from([0, 1]));
    });

    it('may come twice, also at the same time', async () => {
      const content = Buffer.from('twice');
      const [one, two] = await Promise.all([blobs.put(content), blobs.put(content)]);
      expect(one).to.deep.equal(two);
      expect(await buffer(blobs.open(one.hash))).to.deep.equal(content);
    });

    it('may be empty', async () => {
      const { hash, size } = await blobs.put(new Uint8Array());
      expect([size, await blobs.size(hash)]).to.deep.equal([0, 0]);
    });

    it('leave nothing behind when the sender breaks off', async () => {
      const error = await blobs
        .put(
          (async function* () {
            yield Buffer.from('half');
            throw new Error('gone');
          })(),
        )
        .catch((reason: Error) => reason);
      expect(error).to.be.instanceOf(Error).with.property('message', 'gone');
      const hash = createHash('sha256').update('half').digest('hex');
      expect(await blobs.size(hash)).to.equal(undefined);
    });
  });
}

const folders: string[] = [];

blobSuite('on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headwater-blobs-'));
  folders.push(folder);
  return openDiskBlobs(folder);
});

describe('blobs on disk', () => {
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  it('clear away what an interrupted process left', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-blobs-'));
    folders.push(folder);
    await openDiskBlobs(folder);
    await writeFile(join(folder, 'unfinished', 'left'), 'half');
    await openDiskBlobs(folder);
    expect(await readdir(join(folder, 'unfinished'))).to.deep.equal([]);
  });

  it('have no name but a hash', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-blobs-'));
    folders.push(folder);
    const blobs = await openDiskBlobs(folder);
    expect(() => blobs.open('../../etc/passwd')).to.throw('no SHA-256');
  });
});
