/** Files in a store with an S3 API: the shared suite, the cache, and a store that fails. On a real OpenStack Swift. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import sharp from 'sharp';
import { checkFiles } from '../../core/assets/check-files.ts';
import { blobName } from '../../core/storage/blobs/blob-name.ts';
import type { StoredBlob } from '../../core/storage/blobs/blobs.ts';
import { openDiskBlobs } from '../../core/storage/blobs/disk-blobs.ts';
import { openS3Blobs } from '../../core/storage/blobs/s3-blobs.ts';
import type { S3Options } from '../../core/storage/blobs/s3-options.ts';
import { OwnerLock } from '../../core/storage/owner-lock.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { longTest } from '../support/long-form.ts';
import { startRelay } from '../support/network/relay.ts';
import { type RunningSwift, SWIFT_KEY, SWIFT_SECRET } from '../support/programs/run-swift.ts';
import { S3Store } from '../support/programs/s3-store.ts';
import { getBytes, startAssets } from '../support/projects/asset-service.ts';
import { runCommand } from '../support/service/run-command.ts';
import { until } from '../support/until.ts';
import { blobSuite } from './blob-suite.ts';

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('files in S3', () => {
  let store: S3Store;
  let swift: RunningSwift;
  before(async function () {
    // It may have to be installed.
    this.timeout(600_000);
    store = await S3Store.start();
    swift = store.swift;
  });
  after(() => store?.end());

  const newBucket = () => store.newBucket();
  const options = (more?: Partial<S3Options>) => store.options(more);
  const stored = (bucket: string) => store.stored(bucket);

  /** Makes a data folder with three files of assets. @returns their names, in order */
  async function storeFiles(dataDir: string): Promise<string[]> {
    const blobs = await openDiskBlobs(join(dataDir, 'files'));
    const files: StoredBlob[] = [];
    for (let size = 1000; size <= 3000; size += 1000) files.push(await blobs.put(randomBytes(size)));
    const storage = await openSqlite({ file: join(dataDir, 'headwater.db') });
    await storage.write(async (tx) => {
      await tx.insert(
        'project',
        ['number', 'id', 'name', 'sequence', 'model_sequence', 'created'],
        [[1, randomUUID(), 'Files', 1, 1, tx.now]],
      );
      await tx.insert(
        'file',
        ['id', 'project', 'name', 'hash', 'size', 'type', 'created'],
        files.map(({ hash, size }) => [randomUUID(), 1, 'a.bin', hash, size, 'image/png', tx.now]),
      );
    });
    await storage.close();
    return files.map(({ hash }) => blobName(hash)).sort();
  }

  blobSuite('S3', async () => {
    const used = await options();
    return {
      blobs: await openS3Blobs(used),
      // With an empty cache.
      reopen: async () => openS3Blobs(await options({ bucket: used.bucket })),
      stored: async () => [
        ...(await stored(used.bucket)),
        ...(await readdir(join(used.cache.folder, 'unfinished'))),
      ],
      dispose: async () => {},
    };
  });

  it('have their hash as a name below the prefix', async () => {
    const used = await options();
    const blobs = await openS3Blobs(used);
    const { hash } = await blobs.put(Buffer.from('hello'));
    expect(await stored(used.bucket)).to.deep.equal([`site/${blobName(hash)}`]);
  });

  it('are cached within a number of bytes, also by a process before', async () => {
    const used = await options();
    const small = { ...used, cache: { ...used.cache, bytes: 250_000 } };
    const blobs = await openS3Blobs(small);
    const hashes: string[] = [];
    for (let at = 0; at < 4; at += 1) hashes.push((await blobs.put(randomBytes(100_000))).hash);
    expect(hashes.map((hash) => blobs.isCached(hash))).to.deep.equal([false, false, true, true]);
    const again = await openS3Blobs(small);
    expect(hashes.map((hash) => again.isCached(hash))).to.deep.equal([false, false, true, true]);
    expect((await again.read(hashes[0]!)).length).to.equal(100_000);
  });

  longTest('are transferred once for all who read them at a time, whole and in parts', async () => {
    const used = await options();
    const content = randomBytes(3_000_000);
    const { hash } = await (await openS3Blobs(used)).put(content);
    const relay = await startRelay(Number(new URL(swift.endpoint).port));
    try {
      const cold = await openS3Blobs(
        await options({ bucket: used.bucket, endpoint: `http://127.0.0.1:${relay.port}` }),
      );
      const reads = Array.from({ length: 50 }, (_, at) =>
        at % 2 === 0 ? cold.read(hash) : cold.read(hash, { start: 1_000_000, end: 1_999_999 }),
      );
      for (const [at, read] of (await Promise.all(reads)).entries())
        expect(read.equals(at % 2 === 0 ? content : content.subarray(1_000_000, 2_000_000))).to.equal(true);
      expect(relay.received).to.be.below(3_200_000);
      await until(() => cold.isCached(hash));
    } finally {
      await relay.close();
    }
  });

  it('are no longer transferred once all who read them have gone, and can be read again', async () => {
    const used = await options();
    const content = randomBytes(8_000_000);
    const { hash } = await (await openS3Blobs(used)).put(content);
    const relay = await startRelay(Number(new URL(swift.endpoint).port));
    try {
      const more = await options({ bucket: used.bucket, endpoint: `http://127.0.0.1:${relay.port}` });
      const cold = await openS3Blobs(more);
      relay.hold();
      const gone = cold.open(hash);
      gone.on('error', () => {});
      relay.release();
      await once(gone, 'data');
      gone.destroy();
      await until(async () => (await readdir(join(more.cache.folder, 'unfinished'))).length === 0);
      expect((await cold.read(hash)).equals(content)).to.equal(true);
    } finally {
      await relay.close();
    }
  });

  it('are refused when their bytes do not have their hash', async () => {
    const used = await options();
    const hash = sha256(Buffer.from('right'));
    await store.replace(used.bucket, `site/${blobName(hash)}`, Buffer.from('wrong'));
    const blobs = await openS3Blobs(used);
    const error = await blobs.read(hash).catch((cause: Error) => cause);
    expect((error as Error).message).to.equal(`The stored file ${hash} is damaged.`);
    await until(async () => (await readdir(join(used.cache.folder, 'unfinished'))).length === 0);
    expect(blobs.isCached(hash)).to.equal(false);
  });

  it('end a read that is cut off with an error', async () => {
    const used = await options();
    const { hash } = await (await openS3Blobs(used)).put(randomBytes(5_000_000));
    const relay = await startRelay(Number(new URL(swift.endpoint).port));
    try {
      const cold = await openS3Blobs(
        await options({ bucket: used.bucket, endpoint: `http://127.0.0.1:${relay.port}` }),
      );
      const content = cold.open(hash);
      content.once('data', () => relay.cut());
      const error = await buffer(content).catch((cause: Error) => cause);
      expect(error).to.be.instanceOf(Error);
      expect(cold.isCached(hash)).to.equal(false);
    } finally {
      await relay.close();
    }
  });

  longTest('are served from the cache, and uploads get 503, while the store is away', async () => {
    const used = await options();
    const blobs = await openS3Blobs(used);
    const { hash } = await blobs.put(Buffer.from('cached'));
    await swift.kill();
    try {
      expect((await blobs.read(hash)).toString()).to.equal('cached');
      // A restore must not take it for stored.
      expect(await blobs.size(hash).catch((cause: unknown) => cause)).to.include({
        errorName: 'unavailable',
      });
      const error = await blobs.put(Buffer.from('new')).catch((cause: unknown) => cause);
      expect(error).to.include({ errorName: 'unavailable' });
      expect(await readdir(join(used.cache.folder, 'unfinished'))).to.deep.equal([]);
      const missing = sha256(Buffer.from('elsewhere'));
      expect(await blobs.read(missing).catch((cause: unknown) => cause)).to.include({
        errorName: 'unavailable',
      });
      // A core can start without it.
      const second = await openS3Blobs(used);
      expect((await second.read(hash)).toString()).to.equal('cached');
    } finally {
      await swift.restart();
    }
    expect((await blobs.put(Buffer.from('new'))).size).to.equal(3);
  })?.timeout(120_000);

  it('are stored again where the bucket has lost what is cached', async () => {
    const used = await options();
    const blobs = await openS3Blobs(used);
    const { hash } = await blobs.put(Buffer.from('hello'));
    const name = `site/${blobName(hash)}`;
    await store.client.send(new DeleteObjectCommand({ Bucket: used.bucket, Key: name }));
    expect(await blobs.size(hash)).to.equal(undefined);
    await blobs.put(Buffer.from('hello'));
    expect(await stored(used.bucket)).to.deep.equal([name]);
  });

  it('leave no file open when uploads fail, or readers are gone before the first byte', async () => {
    const used = await options();
    const { folder } = used.cache;
    const openFiles = async () => {
      const links = (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`));
      return (await Promise.all(links.map((link) => link.catch(() => '')))).filter((to) =>
        to.startsWith(folder),
      );
    };
    const { hash } = await (await openS3Blobs(await options({ bucket: used.bucket }))).put(
      randomBytes(1_000_000),
    );
    const blobs = await openS3Blobs(used);
    const whole = blobs.read(hash);
    for (const range of [undefined, { start: 0, end: 9 }])
      blobs
        .open(hash, range)
        .on('error', () => {})
        .destroy();
    expect(await whole).to.have.lengthOf(1_000_000);
    await until(async () => (await openFiles()).length === 0);
    const away = await openS3Blobs({ ...used, endpoint: 'http://127.0.0.1:1' });
    for (let at = 0; at < 5; at += 1) {
      const error = await away.put(randomBytes(100_000)).catch((cause: unknown) => cause);
      expect(error).to.include({ errorName: 'unavailable' });
    }
    await until(async () => (await openFiles()).length === 0);
  });

  longTest('write no warning of the library between the lines of the log', async () => {
    // The library warns once in a process; this one has set the variable that keeps it from that.
    const { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: _, ...env } = process.env;
    const { href } = new URL('../../core/storage/blobs/s3-blobs.ts', import.meta.url);
    const script = `import { openS3Blobs } from ${JSON.stringify(href)};
      await openS3Blobs(${JSON.stringify(await options())});
      process.exit(0);`;
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ['--import=tsx', '--input-type=module', '--eval', script],
      { cwd: join(import.meta.dirname, '../..'), env },
    );
    expect(stderr).to.equal('');
  });

  it('refuse a start with a bucket that is missing or wrong credentials, in one sentence', async () => {
    const opened = async (more: Partial<S3Options>) =>
      openS3Blobs(await options(more)).catch((cause: Error) => cause.message);
    expect(await opened({ bucket: 'nowhere' })).to.equal(
      "The bucket 'nowhere' does not exist; look at filesUrl.",
    );
    const wrong = { accessKeyId: SWIFT_KEY, secretAccessKey: 'wrong' };
    expect(await opened({ credentials: wrong, bucket: 'bucket-1' })).to.equal(
      "The bucket 'bucket-1' may not be used with these credentials; look at files.accessKeyId, files.secretAccessKey and filesUrl.",
    );
  });

  it('have the sizes of the bucket, whatever is cached', async () => {
    const used = await options();
    const { hash } = await (await openS3Blobs(used)).put(Buffer.from('hello'));
    const elsewhere = await openS3Blobs(await options({ bucket: used.bucket }));
    expect(await elsewhere.size(hash)).to.equal(5);
    expect(await elsewhere.size(sha256(Buffer.from('nowhere')))).to.equal(undefined);
  });

  longTest(
    'are moved by the command there and back, a damaged one is named and the rest copied',
    async () => {
      const bucket = await newBucket();
      const folder = await store.newFolder();
      const environment = {
        HEADWATER_DATA_DIR: join(folder, 'data'),
        HEADWATER_FILES__ACCESS_KEY_ID: SWIFT_KEY,
        HEADWATER_FILES__SECRET_ACCESS_KEY: SWIFT_SECRET,
      };
      const run = (more: object, ...words: string[]) =>
        runCommand(words, { ...environment, ...more }, folder);
      const hashes = await storeFiles(join(folder, 'data'));

      const url = `s3://${bucket}/moved?endpoint=${swift.endpoint}&pathStyle=true`;
      const there = await run({}, 'move', '--files-to', url);
      expect(there.code, there.err).to.equal(0);
      expect(there.out).to.include(`Files: ${hashes.length} copied`).and.not.include(SWIFT_SECRET);
      expect((await stored(bucket)).sort()).to.deep.equal(
        [...hashes, 'headwater.json'].map((name) => `moved/${name}`),
      );
      expect((await run({}, 'move', '--files-to', url)).out).to.include(
        `Files: 0 copied (0 bytes), ${hashes.length} were there already, 0 missing.`,
      );

      const [damaged = ''] = hashes;
      const { size } = await stat(join(folder, 'data', 'files', damaged));
      await store.replace(bucket, `moved/${damaged}`, randomBytes(size));
      const back = await run({ HEADWATER_FILES_URL: url }, 'move', '--files-to', 'back');
      expect(back.code).to.equal(1);
      expect(back.err).to.include(
        `The file ${damaged.replace('/', '')} is missing, damaged or cannot be read in the source.`,
      );
      for (const name of hashes.slice(1))
        expect(await readFile(join(folder, 'back', name))).to.deep.equal(
          await readFile(join(folder, 'data', 'files', name)),
        );
      const nowhere = await run({}, 'move', '--files-to', url.replace(bucket, 'nowhere'));
      expect([nowhere.code, nowhere.err.split('\n').at(-2)]).to.deep.equal([
        1,
        "headwater: The bucket 'nowhere' does not exist; look at filesUrl.",
      ]);
    },
  );

  async function doctor(environment: Record<string, string>, ...words: string[]): Promise<string[]> {
    const own = { HEADWATER_WORKERS__ALLOCATOR: 'system', ...environment };
    const { out } = await runCommand(['doctor', ...words], own, environment['HEADWATER_DATA_DIR']);
    expect(out).not.to.include(SWIFT_SECRET);
    return out.split('\n').filter((line) => line.includes('asset files'));
  }
  const orphan = blobName(sha256(Buffer.from('orphaned')));

  for (const where of ['a folder', 'a bucket'])
    longTest(`of ${where} are checked by doctor`, async () => {
      const folder = await store.newFolder();
      const data = join(folder, 'data');
      const names = await storeFiles(data);
      const bucket = await newBucket();
      const environment: Record<string, string> = { HEADWATER_DATA_DIR: data };
      const file = (name: string) => join(data, 'files', name);
      let change = (name: string, content: Uint8Array) => writeFile(file(name), content);
      if (where === 'a bucket') {
        Object.assign(environment, store.settings(bucket));
        const { HEADWATER_FILES_URL: url = '', ...moving } = environment;
        expect((await runCommand(['move', '--files-to', url], moving, folder)).code).to.equal(0);
        change = (name, content) => store.replace(bucket, `one/${name}`, content);
      }
      const lines = await doctor(environment, '--read');
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(/^ok +asset files +3, all there, each with its hash$/);
      const [first = '', second = ''] = names;
      const { size } = await stat(file(first));
      await change(first, randomBytes(size));
      expect(await doctor(environment)).to.have.length(1);
      expect((await doctor(environment, '--read'))[0]).to.match(
        /^bad +asset files +1 of 3 damaged \(a\.bin\); /,
      );
      await change(second, Buffer.from('short'));
      expect((await doctor(environment, '--read')).join('\n')).to.match(
        /^bad +asset files +1 of 3 missing or of another size \(a\.bin\); .*\nbad +asset files +1 of 3 damaged/,
      );
      if (where === 'a folder') return;

      await change(orphan, Buffer.from('orphaned'));
      expect((await doctor(environment)).join('\n')).not.to.include('orphaned');
      // A bucket does not let us choose the time: the check gets another one.
      const blobs = await openS3Blobs(await options({ bucket, prefix: 'one/' }));
      const storage = await openSqlite({ file: join(data, 'headwater.db') });
      const { orphaned } = await checkFiles(storage.sql, blobs, { now: Date.now() + 25 * 3_600_000 });
      await storage.close();
      expect(orphaned).to.deep.equal([{ hash: orphan.replace('/', ''), size: 8 }]);
      const others = { ...environment, HEADWATER_DATA_DIR: join(folder, 'others') };
      await storeFiles(join(folder, 'others'));
      expect((await runCommand(['doctor'], others, folder)).out).to.match(
        /^bad +asset files +another installation uses the bucket of filesUrl$/m,
      );
    })?.timeout(240_000);

  it('of no asset in a folder are deleted by doctor on request', async () => {
    const data = join(await store.newFolder(), 'data');
    const [first = ''] = await storeFiles(data);
    const environment = { HEADWATER_DATA_DIR: data };
    const file = (name: string) => join(data, 'files', name);
    const { size } = await stat(file(first));
    // Younger than a day, it may belong to an upload that has not ended.
    await mkdir(join(data, 'files', orphan.slice(0, 2)), { recursive: true });
    await writeFile(file(orphan), Buffer.from('orphaned'));
    expect((await doctor(environment)).join('\n')).not.to.include('orphaned');
    const old = new Date(Date.now() - 25 * 3_600_000);
    await utimes(file(orphan), old, old);
    expect((await doctor(environment)).join('\n')).to.match(
      /^warn +asset files +1 orphaned \(8 bytes\): no asset has them; 'headwater doctor --delete-orphaned' /m,
    );
    const lock = await OwnerLock.take(data);
    expect((await doctor(environment, '--delete-orphaned')).join('\n')).to.match(
      /^bad +asset files +1 orphaned \(8 bytes\), not deleted: The data folder .* is in use by another/m,
    );
    await lock.release();
    expect((await stat(file(orphan))).size).to.equal(8);
    expect((await doctor(environment, '--delete-orphaned')).join('\n')).to.match(
      /^ok +asset files +1 orphaned deleted \(8 bytes\)$/m,
    );
    expect((await doctor(environment)).join('\n')).not.to.include('orphaned');
    expect((await stat(file(first))).size).to.equal(size);
  }).timeout(240_000);

  it('of a cache folder that holds other things are left alone', async () => {
    const used = await options();
    await writeFile(join(used.cache.folder, 'notes.txt'), 'mine');
    await mkdir(join(used.cache.folder, 'ab'));
    await writeFile(join(used.cache.folder, 'ab/notes.txt'), 'mine');
    const blobs = await openS3Blobs({ ...used, cache: { ...used.cache, bytes: 5 } });
    await blobs.put(Buffer.from('one'));
    await blobs.put(Buffer.from('four'));
    expect(await readdir(used.cache.folder)).to.include('notes.txt');
    expect(await readdir(join(used.cache.folder, 'ab'))).to.include('notes.txt');
  });

  it('of a service are uploaded, delivered and transformed, and 503 where only the store has them', async () => {
    const bucket = await newBucket();
    const assets = await startAssets({
      environment: { ...store.settings(bucket), HEADWATER_FILES__CACHE_BYTES: '1000000' },
    });
    try {
      const before = (await stored(bucket)).length;
      const content = await sharp({
        create: { width: 400, height: 300, channels: 3, background: '#336699' },
      })
        .png()
        .toBuffer();
      const { url } = await assets.store('blue.png', 'image/png', content);
      const elsewhere = await assets.store('large.bin', 'application/octet-stream', randomBytes(2_000_000));
      expect(await stored(bucket)).to.have.length(before + 2);
      expect((await getBytes(url)).bytes.equals(content)).to.equal(true);
      const small = await getBytes(`${url}?w=40`);
      expect((await sharp(small.bytes).metadata()).width).to.equal(40);
      const part = await getBytes(elsewhere.url, { range: 'bytes=1000000-1000099' });
      expect([part.status, part.bytes.length]).to.deep.equal([206, 100]);
      await swift.kill();
      try {
        expect((await getBytes(url)).status).to.equal(200);
        const away = await assets
          .store('more.bin', 'application/octet-stream', randomBytes(10))
          .catch((cause: unknown) => cause);
        expect(away).to.include({ errorName: 'unavailable' });
      } finally {
        await swift.restart();
      }
    } finally {
      await assets.stop();
    }
  }).timeout(120_000);
});
