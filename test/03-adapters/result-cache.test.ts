/** The cache of results on disk: its size stays within its limit. */

import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ResultCache } from '../../core/images/result-cache.ts';
import { isLongForm } from '../support/long-form.ts';

const PUTS = isLongForm ? 50_000 : 500;
const MOST = 200_000;

describe('results on disk', () => {
  let folder: string;
  let now: Date;
  const failures: unknown[] = [];
  const caches: ResultCache[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-results-'));
    now = new Date('2030-01-01T00:00:00Z');
  });
  afterEach(async () => {
    await Promise.all(caches.map((cache) => cache.close()));
    await rm(folder, { recursive: true });
    expect(failures).to.deep.equal([]);
  });

  function open(maxBytes = MOST): ResultCache {
    const cache = new ResultCache({
      folder,
      maxBytes,
      now: () => now,
      failed: (error) => failures.push(error),
    });
    caches.push(cache);
    return cache;
  }
  const key = (name: number) => ResultCache.key([String(name)]);
  const result = (name: number, bytes = 1000) => ({
    type: 'image/png',
    body: Buffer.alloc(bytes, `${name}|`),
  });
  async function onDisk(): Promise<{ files: number; bytes: number }> {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      found
        .filter((entry) => entry.isFile())
        .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
    );
    return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }

  it(`are counted exactly and never exceed their limit, ${PUTS} of them`, async function () {
    this.timeout(PUTS * 20);
    const cache = open();
    for (let name = 0; name < PUTS; name += 1) {
      await cache.put(key(name % (PUTS / 2)), result(name % (PUTS / 2), (name * 7919) % 20_000));
      expect(cache.size.bytes).to.be.at.most(MOST);
      if (name % Math.ceil(PUTS / 10) === 0) {
        const { files, bytes } = await onDisk();
        expect({ entries: files, bytes }).to.deep.equal(cache.size);
      }
    }
    expect(cache.size.bytes).to.be.greaterThan(MOST / 2);
  });

  it('that were used last are kept, also after a restart', async () => {
    const first = open(10_600);
    for (let name = 0; name < 10; name += 1) await first.put(key(name), result(name));
    now = new Date('2030-01-01T02:00:00Z');
    expect((await first.get(key(0)))?.body).to.deep.equal(result(0).body);
    await first.close();
    // No promise resolves when the mark is on the disk.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = open(10_600);
    await second.idle();
    expect(second.size.entries).to.equal(10);
    await second.put(key(10), result(10));
    expect(await second.get(key(0)), 'requested late').not.to.equal(undefined);
    expect(await second.get(key(10)), 'the new one').not.to.equal(undefined);
    expect(second.size.entries).to.equal(10);
  });

  it('are found directly after a start, before all are counted', async () => {
    const first = open();
    for (let name = 0; name < 50; name += 1) await first.put(key(name), result(name, 100));
    await first.close();
    expect((await open().get(key(7)))?.body).to.deep.equal(result(7, 100).body);
  });

  it('are removed after the limit was lowered, oldest first', async () => {
    const first = open();
    for (let name = 0; name < 20; name += 1) {
      await first.put(key(name), result(name));
      const file = join(folder, key(name).slice(0, 2), key(name).slice(2));
      await utimes(file, 1000 + name, 1000 + name);
    }
    await first.close();
    const second = open(5500);
    await second.idle();
    expect(second.size.entries).to.equal(5);
    expect(await second.get(key(19))).not.to.equal(undefined);
    expect(await second.get(key(14))).to.equal(undefined);
  });

  it('ignore other files in their folder, and remove unfinished ones', async () => {
    const first = open();
    await first.put(key(1), result(1));
    await first.close();
    await writeFile(join(folder, 'unfinished', 'half'), 'half a result');
    await writeFile(join(folder, 'note.txt'), 'mine');
    await writeFile(join(folder, key(1).slice(0, 2), 'short-name'), 'mine');
    // Names similar to those of results.
    await mkdir(join(folder, key(1).slice(0, 2), 'c'.repeat(38)));
    const group = key(1).startsWith('00') ? '01' : '00';
    await writeFile(join(folder, group), 'mine');
    await mkdir(join(folder, '0f'), { recursive: true });
    await symlink('/nowhere', join(folder, '0f', 'd'.repeat(38)));
    const second = open();
    await second.idle();
    expect(second.size).to.deep.equal(first.size);
    expect(second.size.entries).to.equal(1);
    expect(await readdir(join(folder, 'unfinished'))).to.deep.equal([]);
    expect(await readdir(folder)).to.include('note.txt');
  });

  it('that a user deleted are not counted any more, and new ones are stored', async () => {
    const cache = open(5500);
    for (let name = 0; name < 5; name += 1) await cache.put(key(name), result(name));
    for (const entry of await readdir(folder)) await rm(join(folder, entry), { recursive: true });
    expect(await cache.get(key(0))).to.equal(undefined);
    await cache.put(key(7), result(7));
    expect((await cache.get(key(7)))?.body).to.deep.equal(result(7).body);
    for (let name = 0; name < 5; name += 1) await cache.get(key(name));
    await cache.idle();
    expect(cache.size.entries).to.equal(1);
  });

  it('that cannot be deleted do not prevent the deletion of other ones', async () => {
    const cache = open(5500);
    for (let name = 0; name < 5; name += 1) await cache.put(key(name), result(name));
    const stuck = join(folder, key(0).slice(0, 2), key(0).slice(2));
    await rm(stuck);
    // A folder cannot be deleted like a file.
    await mkdir(stuck);
    await cache.put(key(7), result(7));
    await cache.put(key(8), result(8));
    expect(failures.splice(0)).not.to.deep.equal([]);
    expect((await cache.get(key(8)))?.body).to.deep.equal(result(8).body);
    expect(cache.size.bytes).to.be.at.most(5500);
  });

  it('larger than the limit are not stored', async () => {
    const cache = open(5000);
    await cache.put(key(1), result(1, 5001));
    expect(cache.size).to.deep.equal({ entries: 0, bytes: 0 });
  });
});
