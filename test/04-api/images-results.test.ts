/** Results of transformations: made once, kept, bounded, and what is answered when there is none. */
import { createHash } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { ServiceError } from '../../core/contract.ts';
import { WorkerError } from '../../workers/contract.ts';
import { failure } from '../support/failure.ts';
import { ImageCore } from '../support/images/image-core.ts';
import { animation, tilesImage } from '../support/images/test-images.ts';
import { until } from '../support/until.ts';

describe('results of images', () => {
  let images: ImageCore;
  let photo: Buffer;
  let path: string;
  before(async () => {
    photo = await tilesImage(15, 10).jpeg().toBuffer();
  });
  beforeEach(async () => {
    images = await ImageCore.open({ maxPixels: 1_000_000, maxFrames: 5 });
    path = await images.store('tiles.jpg', 'image/jpeg', photo);
  });
  afterEach(() => images.close());

  const cacheFiles = async () => {
    const folder = join(images.dataDir, 'cache/images');
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('unfinished'))
      .map((entry) => join(entry.parentPath, entry.name));
  };
  /** Resolves when the results are on the disk. */
  const written = async (count: number) => {
    for (let tries = 0; (await cacheFiles()).length < count; tries += 1) {
      if (tries > 500) throw new Error(`There are no ${count} results on the disk.`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  it('are made once for 500 concurrent requests', async () => {
    let open = () => {};
    images.workers.gate = new Promise((resolve) => {
      open = resolve;
    });
    const asked = Array.from({ length: 500 }, (_, index) =>
      images.get(path, index % 2 === 0 ? 'w=100' : 'fit=clip&w=100.2&nothing=1'),
    );
    // Until all of them wait for it.
    await until(() => images.workers.made > 0);
    open();
    const answers = await Promise.all(asked);
    expect(images.workers.made).to.equal(1);
    expect(new Set(answers.map(({ bytes }) => bytes.toString('base64'))).size).to.equal(1);
    expect((await sharp(answers[0]?.bytes).metadata()).width).to.equal(100);
  });

  describe('whose requests are cancelled', () => {
    let open: () => void;
    beforeEach(() => {
      images.workers.gate = new Promise((resolve) => {
        open = resolve;
      });
    });
    const made = async (count: number) => {
      for (let tries = 0; images.workers.made < count; tries += 1) {
        if (tries > 500) throw new Error(`${images.workers.made} images are being made, not ${count}.`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const status = (answer: Promise<{ readonly status: number }>) =>
      answer.then(
        (answered) => answered.status,
        (error: ServiceError) => error.status,
      );
    const get = (signal?: AbortSignal) => status(images.get(path, 'w=100', {}, signal));

    it('are made for the other requests that wait for them', async () => {
      const cancel = new AbortController();
      const { signal } = new AbortController();
      const one = get(cancel.signal);
      const other = get(signal);
      await made(1);
      // The other one waits for the same image.
      await until(() => getEventListeners(signal, 'abort').length > 0);
      cancel.abort();
      open();
      expect(await Promise.all([one, other])).to.deep.equal([200, 200]);
      expect(images.workers.made).to.equal(1);
    });

    it('leave the queue with their last request, and are made for the next one', async () => {
      const cancels = [new AbortController(), new AbortController()];
      const answers = cancels.map(({ signal }) => get(signal));
      await made(1);
      for (const cancel of cancels) cancel.abort();
      // It comes before the queue has answered.
      const next = get();
      expect(await Promise.all(answers)).to.deep.equal([503, 503]);
      await made(2);
      open();
      expect(await next).to.equal(200);
    });

    it('serve the next request when they are being made already', async () => {
      images.workers.mayCancel = false;
      const cancel = new AbortController();
      const first = get(cancel.signal);
      await made(1);
      cancel.abort();
      const next = get();
      await new Promise((resolve) => setTimeout(resolve, 50));
      open();
      expect(await Promise.all([first, next])).to.deep.equal([200, 200]);
      expect(images.workers.made).to.equal(1);
    });

    it('end the next request with them where they are late: it does not wait for a second deadline', async () => {
      images.workers.mayCancel = false;
      const cancel = new AbortController();
      const first = get(cancel.signal);
      await made(1);
      cancel.abort();
      const next = get();
      // Its task is begun once the request before it has come as far.
      const another = status(images.get(path, 'w=101'));
      await made(2);
      images.workers.failure = new WorkerError('late', 'inside');
      open();
      expect(await Promise.all([first, next, another])).to.deep.equal([503, 503, 503]);
      expect(images.workers.made).to.equal(2);
    });

    it('are not begun', async () => {
      expect(await get(AbortSignal.abort())).to.equal(503);
      expect(images.workers.made).to.equal(0);
    });
  });

  it('are refused before anything is read when the workers are full, unless a result may exist', async () => {
    const kept = await images.get(path, 'w=100');
    images.workers.full = new WorkerError('busy', 'Too many.', 7);
    let refused: unknown;
    images.get(path, 'w=101&auto=format').catch((error: unknown) => {
      refused = error;
    });
    // No file and no row arrives before the event loop turns.
    for (let turns = 0; turns < 100; turns += 1) await null;
    if (!(refused instanceof ServiceError)) throw new Error('It was answered.');
    expect(refused.errorName).to.equal('unavailable');
    expect(refused.headers).to.deep.equal({ 'retry-after': '7', vary: 'Accept' });
    // Kept, the same to a client that has it, no transformation at all, and one that is not known yet.
    expect((await images.get(path, 'w=100')).bytes.equals(kept.bytes)).to.equal(true);
    const etag = `${kept.headers['etag']}`;
    expect((await images.get(path, 'w=100', { 'if-none-match': etag })).status).to.equal(304);
    expect((await images.get(path)).bytes.equals(photo)).to.equal(true);
    images.workers.full = undefined;
    expect((await images.get(path, 'w=101')).status).to.equal(200);
  });

  it('have one tag and the same bytes across a restart, without a worker', async () => {
    const queries = [
      'w=100',
      'w=0.3&fm=png',
      'w=120&h=80&fit=crop&fm=webp',
      'q=40',
      'fm=gif',
      'fm=png8&w=77',
    ];
    const before = await Promise.all(queries.map((query) => images.get(path, query)));
    expect(new Set(before.map(({ headers }) => headers['etag'])).size).to.equal(queries.length);
    await written(queries.length);
    await images.restart();
    for (const [index, query] of queries.entries()) {
      const after = await images.get(path, query);
      expect(after.headers, query).to.deep.equal(before[index]?.headers);
      expect(after.bytes.equals(before[index]?.bytes ?? Buffer.alloc(0)), query).to.equal(true);
    }
    expect(images.workers.made).to.equal(0);
    await images.restart({ forgetting: true });
    for (const [index, query] of queries.entries())
      expect(
        (await images.get(path, query)).bytes.equals(before[index]?.bytes ?? Buffer.alloc(0)),
        query,
      ).to.equal(true);
    expect(images.workers.made).to.equal(queries.length);
  });

  it('are confirmed with 304 before anything is decoded', async () => {
    const { headers } = await images.get(path, 'w=100');
    await images.restart({ forgetting: true });
    images.workers.failure = new WorkerError('lost', 'gone');
    const answer = await images.get(path, 'h=9999&w=100', { 'if-none-match': headers['etag'] ?? '' });
    expect(answer.status).to.equal(304);
    expect(images.workers.made).to.equal(0);
  });

  it('support range requests', async () => {
    const whole = await images.get(path, 'w=100');
    const part = await images.get(path, 'w=100', {
      range: 'bytes=10-19',
      'if-range': whole.headers['etag'] ?? '',
    });
    expect(part.status).to.equal(206);
    expect(part.bytes.equals(whole.bytes.subarray(10, 20))).to.equal(true);
  });

  for (const [what, damage] of [
    ['cut short', (file: string) => truncate(file, 60)],
    ['emptied', (file: string) => truncate(file, 0)],
    [
      'changed in one bit',
      async (file: string) => {
        const bytes = await readFile(file);
        bytes[bytes.length - 20]! ^= 1;
        await writeFile(file, bytes);
      },
    ],
    ['of another image', (file: string, other: Buffer) => writeFile(file, other)],
  ] as const) {
    it(`are made again when the stored file is ${what}`, async () => {
      const [one] = await Promise.all([images.get(path, 'w=100'), images.get(path, 'w=101')]);
      await written(2);
      const files = await cacheFiles();
      const contents = await Promise.all(files.map((file) => readFile(file)));
      for (const [index, file] of files.entries()) await damage(file, contents[1 - index]!);
      await images.restart();
      const again = await images.get(path, 'w=100');
      expect(again.bytes.equals(one.bytes)).to.equal(true);
      expect(images.workers.made).to.equal(1);
    });
  }

  for (const [failure, retryAfter] of [
    ['busy', 7],
    ['late', undefined],
    ['lost', undefined],
  ] as const) {
    it(`are unavailable for a while when the workers are ${failure}; the original is not`, async () => {
      images.workers.failure = new WorkerError(failure, 'inside', retryAfter);
      const error = await images.get(path, 'w=100').then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(ServiceError);
      const { status, headers, message } = error as ServiceError;
      expect(status).to.equal(503);
      expect(headers['retry-after']).to.match(/^[1-9]\d*$/);
      if (retryAfter) expect(headers['retry-after']).to.equal(String(retryAfter));
      expect(message).not.to.include('inside');
      expect((await images.get(path)).bytes.equals(photo)).to.equal(true);
      images.workers.failure = undefined;
      expect((await images.get(path, 'w=100')).status).to.equal(200);
    });
  }

  it('are answered while the disk refuses writes, which is logged once', async () => {
    const folder = join(images.dataDir, 'cache/images');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    for (const width of [100, 101, 102, 103])
      expect((await images.get(path, `w=${width}`)).headers['content-type']).to.equal('image/jpeg');
    await until(() => images.warnings.length > 0);
    await images.get(path, 'w=104');
    expect(images.warnings).to.deep.equal(['Transformed images could not be cached on disk.']);
    await rm(folder);
  });

  it('are made once the source can be read again', async () => {
    const hash = createHash('sha256').update(photo).digest('hex');
    const file = join(images.dataDir, 'files', hash.slice(0, 2), hash.slice(2));
    await rename(file, `${file}-away`);
    const { status } = await failure(() => images.get(path, 'w=100'));
    expect(status).to.equal(503);
    await rename(`${file}-away`, file);
    expect((await images.get(path, 'w=100')).bytes.equals(photo)).to.equal(false);
  });

  it('of an image that cannot be decoded are its original, and it is tried once', async () => {
    const torn = photo.subarray(0, Math.floor(photo.length / 2));
    const tornPath = await images.store('torn.jpg', 'image/jpeg', torn);
    const first = await images.get(tornPath, 'w=100');
    expect(first.bytes.equals(torn)).to.equal(true);
    expect(first.headers['content-type']).to.equal('image/jpeg');
    expect(first.headers['etag']).to.equal((await images.get(tornPath)).headers['etag']);
    await images.get(tornPath, 'w=100');
    expect(images.workers.made).to.equal(1);
    const same = await images.get(tornPath, 'w=100', { 'if-none-match': first.headers['etag'] ?? '' });
    expect(same.status).to.equal(304);
  });

  it('of images beyond the limits are the original, without a worker', async () => {
    const large = await sharp({ create: { width: 1001, height: 1000, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const long = await animation(4, 4, ['red', 'green', 'blue', 'white', 'black', 'navy'], 'gif');
    // A header that promises 4 gigapixels.
    const bomb = Buffer.from(
      await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    bomb.writeUInt32BE(65_535, 16);
    bomb.writeUInt32BE(65_535, 20);
    for (const [name, type, bytes] of [
      ['large.png', 'image/png', large],
      ['long.gif', 'image/gif', long],
      ['bomb.png', 'image/png', bomb],
      ['note.txt', 'text/plain', Buffer.from('no image')],
      ['drawing.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ] as const) {
      const answer = await images.get(await images.store(name, type, bytes), 'w=2&fm=webp');
      expect(answer.bytes.equals(bytes), name).to.equal(true);
      expect(answer.headers['content-type']).to.equal(type);
    }
    expect(images.workers.made).to.equal(0);
    // One frame of the long animation is no more than any image.
    const longPath = await images.store('long.gif', 'image/gif', long);
    expect((await images.get(longPath, 'fm=png')).headers['content-type']).to.equal('image/png');
  });

  it('follow the bytes, whatever type was declared', async () => {
    const answer = await images.get(await images.store('photo.txt', 'text/plain', photo), 'w=10');
    expect(answer.headers['content-type']).to.equal('image/jpeg');
    expect((await sharp(answer.bytes).metadata()).width).to.equal(10);
  });

  it('of files stored before their headers were recorded are right, and record them', async () => {
    const { storage } = images.core.operations;
    const facts = () => storage.sql.all('SELECT * FROM content_facts');
    const before = await facts();
    await storage.write((tx) => tx.run('DELETE FROM content_facts'));
    const answers = await Promise.all([
      images.get(path, 'w=100'),
      images.get(path, 'w=101'),
      images.get(path),
    ]);
    expect(answers.map(({ headers }) => headers['content-type'])).to.deep.equal(Array(3).fill('image/jpeg'));
    await until(async () => (await facts()).length > 0);
    expect(await facts()).to.deep.equal(before);
  });

  it('name the tags that evict them from caches', async () => {
    const file = path.split('/')[2];
    for (const query of ['', 'w=10']) {
      expect((await images.get(path, query)).tags).to.deep.equal([`asset-file:${file}`]);
      expect((await images.get(path, query, { range: 'bytes=0-1' })).tags).to.equal(undefined);
    }
  });

  it('vary by Accept wherever WebP is negotiated, also when it made no difference', async () => {
    const accept = 'image/avif,image/webp,*/*;q=0.8';
    for (const query of ['auto=format', 'auto=format&fm=png', 'auto=webp&w=50', 'auto=format&w=0']) {
      const yes = await images.get(path, query, { accept });
      const no = await images.get(path, query, { accept: '*/*' });
      for (const { headers } of [yes, no]) expect(headers['vary'], query).to.equal('Accept');
      expect(yes.headers['content-type'], query).to.equal('image/webp');
      expect(no.headers['content-type'], query).not.to.equal('image/webp');
      const etag = yes.headers['etag'] ?? '';
      expect((await images.get(path, query, { accept, 'if-none-match': etag })).headers['vary']).to.equal(
        'Accept',
      );
      expect((await images.get(path, query, { accept: 'image/*', 'if-none-match': etag })).status).to.equal(
        200,
      );
    }
    expect((await images.get(path, 'w=50', { accept })).headers['vary']).to.equal(undefined);
    const missing = await images.get(`${path}x`, 'auto=format').catch((error: ServiceError) => error);
    expect((missing as ServiceError).headers['vary']).to.equal('Accept');
  });
});

describe('the space for results', () => {
  it('is never exceeded, and recently used results stay', async () => {
    const images = await ImageCore.open({ cacheBytes: 60_000 });
    const path = await images.store('tiles.png', 'image/png', await tilesImage(15, 10).png().toBuffer());
    const folder = join(images.dataDir, 'cache/images');
    const bytesOnDisk = async () => {
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      const sizes = found
        .filter((entry) => entry.isFile())
        .map((entry) =>
          readFile(join(entry.parentPath, entry.name)).then(
            ({ length }) => length,
            () => 0,
          ),
        );
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    };
    for (let width = 100; width < 200; width += 1) {
      await images.get(path, `w=${width}`);
      await images.get(path, 'w=99');
      if (width % 10 === 0) expect(await bytesOnDisk()).to.be.at.most(60_000);
    }
    await images.restart();
    await images.get(path, 'w=99');
    expect(images.workers.made).to.equal(0);
    await images.get(path, 'w=100');
    expect(images.workers.made).to.equal(1);
    expect(await bytesOnDisk()).to.be.within(30_000, 60_000);
    await images.close();
  });

  it('can be zero', async () => {
    const images = await ImageCore.open({ cacheBytes: 0 });
    const path = await images.store('tiles.png', 'image/png', await tilesImage(2, 2).png().toBuffer());
    await images.get(path, 'w=9');
    await images.get(path, 'w=9');
    expect(images.workers.made).to.equal(2);
    await images.close();
  });
});
