/** Files in a store with an S3 API that answers wrongly, or not at all. A proxy changes what a real OpenStack Swift answers. */

import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { access, type FileHandle, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { checkFiles } from '../../core/assets/check-files.ts';
import { backUp } from '../../core/backup/back-up.ts';
import { restore } from '../../core/backup/restore.ts';
import { blobName } from '../../core/storage/blobs/blob-name.ts';
import { openS3Blobs } from '../../core/storage/blobs/s3-blobs.ts';
import { S3_DEADLINES, type S3Options } from '../../core/storage/blobs/s3-options.ts';
import { failure } from '../support/failure.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { startRelay } from '../support/network/relay.ts';
import {
  type RewritingProxy,
  type RewrittenAnswer,
  startRewritingProxy,
} from '../support/network/rewriting-proxy.ts';
import { SWIFT_SECRET } from '../support/programs/run-swift.ts';
import { S3Store, STORE_CREDENTIALS } from '../support/programs/s3-store.ts';
import { startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('a store of files that fails', () => {
  let store: S3Store;
  let proxy: RewritingProxy;
  before(async function () {
    // Swift may have to be installed.
    this.timeout(600_000);
    store = await S3Store.start();
    proxy = await startRewritingProxy(store.port);
  });
  after(async () => {
    await proxy?.close();
    await store?.end();
  });
  afterEach(() => {
    proxy.rewriting = {};
  });

  const throughProxy = async (more: Partial<S3Options> = {}) =>
    store.options({ endpoint: proxy.endpoint, ...more });

  /** A blob that is in the bucket and in no cache. */
  async function stored(content: Uint8Array, more: Partial<S3Options> = {}) {
    const used = await throughProxy(more);
    const { hash } = await (await openS3Blobs({ ...used, endpoint: store.swift.endpoint })).put(content);
    const cache = { folder: await store.newFolder(), bytes: used.cache.bytes };
    return { hash, name: `/${used.bucket}/site/${blobName(hash)}`, used: { ...used, cache } };
  }

  const onGet =
    (name: string, change: (answer: RewrittenAnswer) => RewrittenAnswer) =>
    (call: string, answer: RewrittenAnswer): RewrittenAnswer =>
      call.startsWith('GET ') && call.includes(name) ? change(answer) : answer;

  const withBody = (answer: RewrittenAnswer, body: Uint8Array, length = body.length): RewrittenAnswer => ({
    ...answer,
    headers: { ...answer.headers, 'content-length': String(length) },
    body,
  });

  it('sends other bytes, fewer or more: the read fails, nothing of it is kept, a later one succeeds', async () => {
    const content = randomBytes(300_000);
    const { hash, name, used } = await stored(content);
    const blobs = await openS3Blobs(used);
    const wrong: Record<string, (answer: RewrittenAnswer) => RewrittenAnswer> = {
      'other bytes': (answer) => withBody(answer, randomBytes(300_000)),
      fewer: (answer) => withBody(answer, content.subarray(0, 200_000)),
      more: (answer) => withBody(answer, Buffer.concat([content, Buffer.from('x')])),
      'fewer than announced': (answer) => withBody(answer, content.subarray(0, 200_000), 300_000),
      none: (answer) => withBody(answer, Buffer.alloc(0)),
      'without a length': ({ status, headers }) => ({
        status,
        headers: { ...headers, 'content-length': undefined, 'transfer-encoding': 'chunked' },
        body: randomBytes(300_000),
      }),
    };
    for (const [what, change] of Object.entries(wrong)) {
      proxy.rewriting = { answer: onGet(name, change) };
      for (const read of [() => blobs.read(hash), () => buffer(blobs.openOnce(hash))]) {
        const error = await read().catch((reason: unknown) => reason);
        expect(error, what).to.be.instanceOf(Error);
        expect((error as Error).message, what).to.match(
          /^The stored file \w+ is damaged\.$|^The store of files does not answer|^The store does not say how large/,
        );
        expect(blobs.isCached(hash), what).to.equal(false);
        await until(async () => (await readdir(join(used.cache.folder, 'unfinished'))).length === 0);
      }
      // The last byte of a wrong one is never delivered.
      let received = 0;
      const delivered = blobs.open(hash);
      delivered.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      await once(delivered, 'end').then(
        () => expect.fail(what),
        () => {},
      );
      expect(received, what).to.be.below(300_000);
    }
    proxy.rewriting = {};
    expect((await blobs.read(hash)).equals(content)).to.equal(true);
  });

  it('answers another range, or fewer bytes of it: the read is unavailable, and right when the store is', async () => {
    const content = randomBytes(100_000);
    const { hash, name, used } = await stored(content);
    const blobs = await openS3Blobs(used);
    const range = { start: 1000, end: 50_999 };
    const part = content.subarray(range.start, range.end + 1);
    const wrong: Record<string, (answer: RewrittenAnswer) => RewrittenAnswer> = {
      another: (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'content-range': 'bytes 0-49999/100000' },
      }),
      'one without its name': (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'content-range': undefined },
      }),
      fewer: (answer) => withBody(answer, part.subarray(1)),
      'fewer than announced': (answer) => withBody(answer, part.subarray(0, 20_000), 50_000),
      more: (answer) => withBody(answer, Buffer.concat([part, part])),
    };
    for (const [what, change] of Object.entries(wrong)) {
      proxy.rewriting = { answer: onGet(name, change) };
      const error = await blobs.read(hash, range).catch((reason: unknown) => reason);
      expect(error, what).to.include({ errorName: 'unavailable' });
    }
    proxy.rewriting = {};
    expect((await blobs.read(hash, range)).equals(part)).to.equal(true);
  });

  it('knows no ranges: parts are cut from the whole', async () => {
    const content = randomBytes(200_000);
    const { hash, name, used } = await stored(content);
    const ignoring = onGet(name, (answer) => ({
      ...withBody(answer, content),
      status: 200,
    }));
    proxy.rewriting = { answer: ignoring };
    const blobs = await openS3Blobs(used);
    const part = await blobs.read(hash, { start: 150_000, end: 199_999 });
    expect(part.equals(content.subarray(150_000))).to.equal(true);
    const small = await openS3Blobs({ ...used, cache: { folder: await store.newFolder(), bytes: 1000 } });
    const again = await small.read(hash, { start: 10, end: 19 });
    expect(again.equals(content.subarray(10, 20))).to.equal(true);
  });

  it('gets other bytes on their way: it refuses them, and nothing is stored', async () => {
    const used = await throughProxy();
    const blobs = await openS3Blobs(used);
    proxy.rewriting = {
      request: (call, body) => (call.startsWith('PUT') ? randomBytes(body.length) : body),
    };
    const error = await blobs.put(randomBytes(10_000)).catch((reason: unknown) => reason);
    expect(error).to.include({ errorName: 'unavailable' });
    expect(await store.stored(used.bucket)).to.deep.equal([]);
    expect(await readdir(join(used.cache.folder, 'unfinished'))).to.deep.equal([]);
    proxy.rewriting = {};
    expect((await blobs.put(Buffer.from('right'))).size).to.equal(5);
  });

  it('fails one upload in the middle: it is sent once more', async () => {
    const used = await throughProxy();
    const blobs = await openS3Blobs(used);
    const content = randomBytes(10_000);
    let failures = 1;
    proxy.rewriting = {
      answer: (call, answer) =>
        call.startsWith('PUT') && failures-- > 0
          ? { status: 500, headers: { 'content-length': '0' }, body: Buffer.alloc(0) }
          : answer,
    };
    const { hash } = await blobs.put(content);
    expect(await store.stored(used.bucket)).to.deep.equal([`site/${blobName(hash)}`]);
  });

  longTest(
    'is silent: calls and transfers end at their deadline, and health says so until it answers',
    async () => {
      const content = randomBytes(20_000_000);
      const { hash, used } = await stored(content);
      const relay = await startRelay(store.port);
      const log: string[] = [];
      const write = (_: object, text: string) => void log.push(text);
      try {
        const blobs = await openS3Blobs({
          ...used,
          endpoint: `http://127.0.0.1:${relay.port}`,
          deadlines: { ...S3_DEADLINES, silent: 2000 },
          log: { info: write, warn: write },
        });
        const transfer = blobs.open(hash, { start: 0, end: 19_999_999 });
        await once(transfer, 'readable');
        relay.hold();
        const part = (await buffer(transfer).catch((reason: unknown) => reason)) as Error;
        expect(part).to.include({ errorName: 'unavailable' });
        expect((part.cause as Error).message).to.include('silent for 2 s');
        const calls = [
          blobs.size(hash),
          blobs.read(hash),
          blobs.read(sha256(content.subarray(1)), { start: 1, end: 2 }),
          blobs.put(randomBytes(1000)),
          // Its request may arrive when the store is back.
          blobs.remove(sha256(content.subarray(2))),
        ];
        for (const { status, ...ended } of await Promise.allSettled<unknown>(calls)) {
          expect(status).to.equal('rejected');
          expect((ended as PromiseRejectedResult).reason).to.include({ errorName: 'unavailable' });
        }
        expect(blobs.remote.health()).to.include({ ok: false });
        expect(blobs.remote.figures().failures).to.be.at.least(6);
        relay.release();
        await until(async () => (await blobs.size(hash).catch(() => 0)) === content.length);
        expect(blobs.remote.health().ok).to.equal(true);
        expect(log[0]).to.match(/^The store of files does not answer; /);
        expect(log.at(-1)).to.equal('The store of files answers again.');
      } finally {
        await relay.close();
      }
    },
  )?.timeout(120_000);

  it('does not fail a reader that pauses: it gets the rest from another transfer', async () => {
    const content = randomBytes(9_000_000);
    const { hash, name, used } = await stored(content);
    const blobs = await openS3Blobs({ ...used, deadlines: { ...S3_DEADLINES, paused: 100 } });
    const noRoom = await openS3Blobs({
      ...used,
      cache: { folder: await store.newFolder(), bytes: 1_000_000 },
      deadlines: { ...S3_DEADLINES, paused: 100 },
    });
    const part = { start: 1000, end: 8_999_000 };
    const withoutCache = [[noRoom, part] as const, [noRoom, undefined] as const];
    for (const [from, range] of [[blobs, part] as const, ...(isLongForm ? withoutCache : [])]) {
      const before = proxy.calls.length;
      const chunks: Buffer[] = [];
      for await (const chunk of from.open(hash, range)) {
        chunks.push(chunk as Buffer);
        if (chunks.length === 5) await pause(400);
      }
      const expected = range ? content.subarray(range.start, range.end + 1) : content;
      expect(Buffer.concat(chunks).equals(expected)).to.equal(true);
      const transfers = proxy.calls.slice(before).filter((call) => call === `GET ${name}?x-id=GetObject`);
      expect(transfers).to.have.length.greaterThan(1);
    }
    expect(blobs.remote.figures().failures).to.equal(0);
  }).timeout(60_000);

  longTest('does not count the pause of a reader as silence', async () => {
    const silent = isLongForm ? S3_DEADLINES.silent : 2000;
    const content = randomBytes(9_000_000);
    const { hash, used } = await stored(content);
    const blobs = await openS3Blobs({ ...used, deadlines: { ...S3_DEADLINES, silent, paused: 60_000 } });
    const chunks: Buffer[] = [];
    for await (const chunk of blobs.open(hash, { start: 0, end: 8_999_999 })) {
      chunks.push(chunk as Buffer);
      if (chunks.length === 3) await pause(1.5 * silent);
    }
    expect(Buffer.concat(chunks).equals(content)).to.equal(true);
    expect(blobs.remote.figures().calls).to.deep.equal({ get: 2 });
  })?.timeout(60_000);

  it('is asked once for 500 readers of a file that is not cached', async () => {
    const content = randomBytes(100_000);
    const { hash, name, used } = await stored(content);
    const blobs = await openS3Blobs(used);
    const before = proxy.calls.length;
    const reads = await Promise.all(Array.from({ length: 500 }, () => blobs.read(hash)));
    for (const read of reads) expect(read.equals(content)).to.equal(true);
    expect(proxy.calls.slice(before)).to.deep.equal([`GET ${name}?x-id=GetObject`]);
    await until(() => blobs.isCached(hash));
    await blobs.read(hash);
    expect(blobs.remote.figures()).to.include({ entries: 1, bytes: 100_000, hits: 1, misses: 1 });
    const other = await openS3Blobs({ ...used, cache: { ...used.cache, folder: await store.newFolder() } });
    await other.withSource(hash, async () => {});
    expect(other.remote.figures()).to.include({ hits: 0, misses: 1 });
    await other.withSource(hash, async () => {});
    expect(other.remote.figures()).to.include({ hits: 1, misses: 1 });
  });

  longTest(
    'fills no more than the cache while many files are transferred, and those that find no space are read all the same',
    async () => {
      const used = await throughProxy();
      const contents = Array.from({ length: 12 }, () => randomBytes(400_000));
      const first = await openS3Blobs(used);
      const hashes: string[] = [];
      for (const content of contents) hashes.push((await first.put(content)).hash);
      const folder = await store.newFolder();
      const blobs = await openS3Blobs({ ...used, cache: { folder, bytes: 1_000_000 } });
      let isReading = true;
      let most = 0;
      const watching = (async () => {
        while (isReading) {
          most = Math.max(most, await bytesIn(folder));
          await pause(2);
        }
      })();
      const reads = await Promise.all(hashes.map((hash) => blobs.read(hash)));
      isReading = false;
      await watching;
      for (const [at, read] of reads.entries()) expect(read.equals(contents[at]!)).to.equal(true);
      // Deleted files may be counted for a moment.
      expect(most).to.be.at.most(1_000_000 + 2 * 400_000);
      await until(async () => (await bytesIn(folder)) <= 1_000_000);
      expect(blobs.remote.figures().bytes).to.be.at.most(1_000_000);
    },
  );

  it('keeps a cached file while it is used, and deletes it afterwards', async () => {
    const used = await throughProxy();
    const content = randomBytes(100_000);
    const blobs = await openS3Blobs({ ...used, cache: { ...used.cache, bytes: 250_000 } });
    const { hash } = await blobs.put(content);
    const path = await blobs.withSource(hash, async (source) => {
      expect(source).to.be.a('string');
      for (let count = 0; count < 5; count += 1) await blobs.put(randomBytes(100_000));
      expect(blobs.isCached(hash)).to.equal(true);
      expect((await readFile(source as string)).equals(content)).to.equal(true);
      return source as string;
    });
    for (let count = 0; count < 3; count += 1) await blobs.put(randomBytes(100_000));
    expect(blobs.isCached(hash)).to.equal(false);
    await until(() =>
      access(path).then(
        () => false,
        () => true,
      ),
    );
    // It comes back, and what does not fit is passed as bytes.
    expect(await blobs.withSource(hash, async (source) => typeof source)).to.equal('string');
    const small = await openS3Blobs({ ...used, cache: { folder: await store.newFolder(), bytes: 1000 } });
    const bytes = await small.withSource(hash, async (source) => source);
    expect(content.equals(bytes as Uint8Array)).to.equal(true);
  });

  it('is read while the disk of the cache is full', async () => {
    const content = randomBytes(300_000);
    const { hash, used } = await stored(content);
    const blobs = await openS3Blobs(used);
    const handle = await open(used.cache.folder);
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const { writeFile } = handles;
    let written = 0;
    handles.writeFile = async function (this: FileHandle, data) {
      written += (data as Buffer).length;
      if (written > 100_000) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      return writeFile.call(this, data);
    };
    try {
      expect(content.equals(await blobs.read(hash))).to.equal(true);
      const part = await blobs.read(hash, { start: 150_000, end: 160_000 });
      expect(content.subarray(150_000, 160_001).equals(part)).to.equal(true);
      const source = await blobs.withSource(hash, async (bytes) => bytes);
      expect(content.equals(source as Uint8Array)).to.equal(true);
    } finally {
      handles.writeFile = writeFile;
    }
    expect(await blobs.withSource(hash, async (source) => typeof source)).to.equal('string');
  });

  it('is read again, and takes uploads, where the folder of the cache has been removed', async () => {
    const used = await throughProxy();
    const blobs = await openS3Blobs(used);
    const { hash } = await blobs.put(Buffer.from('hello'));
    const reads: (() => Promise<Buffer>)[] = [
      () => blobs.read(hash),
      () => buffer(blobs.open(hash)),
      () => buffer(blobs.openOnce(hash)),
      () => blobs.withSource(hash, (source) => readFile(source as string)),
    ];
    for (const read of reads) {
      await until(() => blobs.isCached(hash));
      await rm(used.cache.folder, { recursive: true });
      expect((await read()).toString()).to.equal('hello');
    }
    await rm(used.cache.folder, { recursive: true });
    const { hash: other } = await blobs.put(Buffer.from('another'));
    expect((await blobs.read(other)).toString()).to.equal('another');
  });

  it('does not displace what is cached by a file for which there is no space', async () => {
    const large = await stored(randomBytes(300_000));
    const blobs = await openS3Blobs({ ...large.used, cache: { ...large.used.cache, bytes: 250_000 } });
    const small = [await blobs.put(randomBytes(100_000)), await blobs.put(randomBytes(100_000))];
    expect(await blobs.read(large.hash)).to.have.length(300_000);
    // One in use leaves too little space for another.
    const [held, free] = small.map(({ hash }) => hash);
    const other = await store.options({ bucket: large.used.bucket });
    const { hash: medium } = await (await openS3Blobs(other)).put(randomBytes(200_000));
    await blobs.withSource(held!, async () => {
      expect(await blobs.read(medium)).to.have.length(200_000);
      expect(blobs.isCached(free!)).to.equal(true);
    });
    expect(small.map(({ hash }) => blobs.isCached(hash))).to.deep.equal([true, true]);
  });

  describe('at the start', () => {
    const sentence = async (more: Partial<S3Options>) => {
      const used = await store.options({ bucket: 'bucket-1', ...more });
      const text = await openS3Blobs(used).then(
        () => 'opened',
        (error: Error) => `${error.name}: ${error.message}`,
      );
      expect(text).not.to.include(SWIFT_SECRET);
      return text;
    };

    it('ends with one sentence for missing credentials, wrong ones, another region, another server', async () => {
      const kept = { ...process.env };
      Object.assign(process.env, {
        AWS_EC2_METADATA_DISABLED: 'true',
        AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
        AWS_CONFIG_FILE: '/nonexistent',
      });
      for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'])
        delete process.env[name];
      try {
        expect(await sentence({ credentials: undefined })).to.match(
          /^StartError: There are no credentials for the bucket 'bucket-1'; set files\.accessKeyId and files\.secretAccessKey, or .*\.$/,
        );
      } finally {
        process.env = kept;
      }
      const unknown = { accessKeyId: 'nobody', secretAccessKey: SWIFT_SECRET };
      for (const credentials of [unknown, { ...STORE_CREDENTIALS, secretAccessKey: 'wrong' }])
        expect(await sentence({ credentials })).to.equal(
          "StartError: The bucket 'bucket-1' may not be used with these credentials; look at files.accessKeyId, files.secretAccessKey and filesUrl.",
        );
      expect(await sentence({ region: 'eu-west-7' })).to.equal(
        "StartError: The bucket 'bucket-1' is in another region than eu-west-7; look at filesUrl.",
      );
      for (const status of [200, 404, 418]) {
        proxy.rewriting = {
          answer: () => ({
            status,
            headers: { 'content-type': 'text/html' },
            body: Buffer.from('<!doctype html><p>Hello</p>'),
          }),
        };
        expect(await sentence({ endpoint: proxy.endpoint }), `${status}`).to.match(
          /^StartError: What answers at http:\/\/127\.0\.0\.1:\d+ is no S3 store.*; look at filesUrl\.$/,
        );
      }
      proxy.rewriting = {};
      // HTTP where TLS was expected.
      expect(await sentence({ endpoint: proxy.endpoint.replace('http:', 'https:') })).to.match(
        /^StartError: The bucket 'bucket-1' cannot be used \(.*\); look at filesUrl\.$/,
      );
    });

    it('does not need a store that cannot be reached, and logs that', async () => {
      const server = createServer((socket) => socket.destroy());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const ends = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      for (const endpoint of ['http://127.0.0.1:1', 'http://nowhere.invalid', ends]) {
        const log: object[] = [];
        const blobs = await openS3Blobs(
          await store.options({
            endpoint,
            log: { info() {}, warn: (fields, text) => log.push({ ...fields, text }) },
          }),
        );
        expect(log).to.have.length(1);
        expect(JSON.stringify(log)).to.include('does not answer').and.not.include(SWIFT_SECRET);
        expect(await blobs.read(sha256(Buffer.from('x'))).catch((error: unknown) => error)).to.include({
          errorName: 'unavailable',
        });
      }
      server.close();
    });
  });

  describe('of two installations', () => {
    const claim = async (used: S3Options, installation: string) => {
      const blobs = await openS3Blobs({ ...used, cache: { ...used.cache, folder: await store.newFolder() } });
      await blobs.remote.claim(installation);
      return blobs;
    };

    it('is that of the first; the other one is refused, unless it has another prefix', async () => {
      const used = await throughProxy();
      await claim(used, 'one');
      expect(await (await claim(used, 'one')).remote.owner()).to.equal('one');
      const refused = (await claim(used, 'two').catch((error: Error) => error)) as Error;
      expect(`${refused.name}: ${refused.message}`).to.equal(
        `StartError: Another installation uses the bucket and prefix of filesUrl; give this one a prefix of its own, or delete the object '${used.bucket}/site/headwater.json' where the other one no longer exists.`,
      );
      await claim({ ...used, prefix: 'other/' }, 'two');
    });

    it('is claimed by the first upload where it could not be reached before', async () => {
      const used = await throughProxy();
      const gone = { answer: () => ({ status: 503, headers: {}, body: Buffer.alloc(0) }) };
      proxy.rewriting = gone;
      const [one, two] = [await claim(used, 'one'), await claim(used, 'two')];
      proxy.rewriting = {};
      await one.put(Buffer.from('first'));
      const error = await two.put(Buffer.from('second')).catch((reason: unknown) => reason);
      expect(error).to.include({ errorName: 'unavailable' });
      expect((error as Error).message).to.equal('Files cannot be stored at present. Try again later.');
      expect(await store.stored(used.bucket)).to.have.length(2);
    });

    it('refuses the start of the second service; backups hold its files or their hashes, and are checked', async () => {
      const bucket = await store.newBucket();
      const first = await startService({ sample: true, environment: store.settings(bucket) });
      const folder = await store.newFolder();
      const created = '2030-01-01T00:00:00.000Z';
      try {
        const second = await startService({ environment: store.settings(bucket) }).then(
          async (service) => {
            await service.stop();
            return 'started';
          },
          (error: Error) => error.message,
        );
        expect(second).to.match(/^Another installation uses the bucket and prefix of filesUrl; /);
        const { operations } = first.core;
        const copied = await backUp(operations, join(folder, 'copied'), { created });
        const recorded = await backUp(operations, join(folder, 'recorded'), { created, withFiles: false });
        expect(copied.files).to.equal(recorded.files).and.to.be.greaterThan(5);
        const other = await startService();
        try {
          await restore(other.core.operations, join(folder, 'copied'));
          const { missing, damaged } = await checkFiles(
            other.core.operations.storage.sql,
            other.core.operations.blobs,
            { read: true },
          );
          expect([missing, damaged]).to.deep.equal([[], []]);
        } finally {
          await other.stop();
        }
        await restore(operations, join(folder, 'recorded'));
        const [name = ''] = (await store.stored(bucket)).filter((key) => /[0-9a-f]{62}$/.test(key));
        await store.replace(bucket, name, Buffer.from('other bytes'));
        await rm(join(first.dataDir, 'files-cache'), { recursive: true });
        const refused = await failure(() => restore(operations, join(folder, 'recorded')));
        expect(refused.message).to.include('is missing or not what it was in the store');
        const health = (await first.core.health()).parts['files'];
        expect(health).to.deep.equal({ ok: true, detail: `bucket ${bucket} answers` });
      } finally {
        await first.stop();
      }
    }).timeout(120_000);
  });
});

async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found?.isFile()) sum += found.size;
  }
  return sum;
}
