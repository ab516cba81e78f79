/** What core relies on in a store of files, for every adapter of core/storage/blobs/blobs.ts. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { expect } from 'chai';
import type { Blobs } from '../../core/storage/blobs/blobs.ts';

export interface BlobsUnderTest {
  readonly blobs: Blobs;
  /** Opens the same store again. */
  reopen(): Promise<Blobs>;
  /** Names of everything that is stored, complete or not. */
  stored(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export function blobSuite(name: string, open: () => Promise<BlobsUnderTest>): void {
  describe(`blobs: ${name}`, () => {
    let place: BlobsUnderTest;
    let blobs: Blobs;

    beforeEach(async () => {
      place = await open();
      blobs = place.blobs;
    });
    afterEach(() => place.dispose());

    it('returns what was put, under the hash of the content', async () => {
      for (const content of [Buffer.from('hello'), Buffer.alloc(0), randomBytes(300_000)]) {
        const blob = await blobs.put(content);
        expect(blob).to.deep.equal({ hash: sha256(content), size: content.length });
        expect(await blobs.size(blob.hash)).to.equal(content.length);
        expect((await read(blobs.open(blob.hash))).equals(content)).to.equal(true);
      }
    });

    it('takes a stream of chunks', async () => {
      const many = Array.from({ length: 20 }, () => randomBytes(70_000));
      const chunks = [...many, Buffer.alloc(0), randomBytes(1), randomBytes(100_000)];
      const blob = await blobs.put(stream(chunks));
      const whole = Buffer.concat(chunks);
      expect(blob).to.deep.equal({ hash: sha256(whole), size: whole.length });
      expect((await read(blobs.open(blob.hash))).equals(whole)).to.equal(true);
    });

    it('reads a part, both ends included', async () => {
      const { hash } = await blobs.put(Buffer.from('0123456789'));
      expect((await read(blobs.open(hash, { start: 2, end: 5 }))).toString()).to.equal('2345');
      expect((await read(blobs.open(hash, { start: 9, end: 9 }))).toString()).to.equal('9');
    });

    it('reads all or a part into memory, and names the file for other processes', async () => {
      const content = randomBytes(100_000);
      const { hash } = await blobs.put(content);
      expect((await blobs.read(hash)).equals(content)).to.equal(true);
      const part = await blobs.read(hash, { start: 1000, end: 70_000 });
      expect(part.equals(content.subarray(1000, 70_001))).to.equal(true);
      const source = await blobs.withSource(hash, async (found) =>
        typeof found === 'string' ? readFile(found) : found,
      );
      expect(content.equals(source)).to.equal(true);
      const missing = sha256(Buffer.from('nowhere'));
      expect(await blobs.read(missing).catch((reason: unknown) => reason)).to.be.instanceOf(Error);
    });

    it('lists what it has, and forgets what is removed', async () => {
      const began = Date.now();
      const contents = [Buffer.from('one'), Buffer.alloc(0), randomBytes(3000)];
      for (const content of contents) await blobs.put(content);
      const listed = async () => {
        const found = [];
        for await (const blob of blobs.list()) found.push(blob);
        return found.sort((one, other) => one.size - other.size);
      };
      const found = await listed();
      expect(found.map(({ hash, size }) => [hash, size])).to.deep.equal(
        [contents[1]!, contents[0]!, contents[2]!].map((content) => [sha256(content), content.length]),
      );
      // Stores have whole seconds.
      for (const { modified } of found) expect(modified).to.be.within(began - 2000, Date.now() + 2000);
      await blobs.remove(sha256(contents[0]!));
      expect((await listed()).map(({ size }) => size)).to.deep.equal([0, 3000]);
      expect(await blobs.size(sha256(contents[0]!))).to.equal(undefined);
      expect(
        await read(blobs.open(sha256(contents[0]!))).catch((reason: unknown) => reason),
      ).to.be.instanceOf(Error);
    });

    it('reads once what is there', async () => {
      const content = randomBytes(200_000);
      const { hash } = await blobs.put(content);
      expect((await read(blobs.openOnce(hash))).equals(content)).to.equal(true);
      const fresh = await place.reopen();
      expect((await read(fresh.openOnce(hash))).equals(content)).to.equal(true);
      expect(
        await read(fresh.openOnce(sha256(Buffer.from('none')))).catch((reason: unknown) => reason),
      ).to.be.instanceOf(Error);
    });

    it('stores the same content once', async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => blobs.put(Buffer.from('again'))));
      expect(new Set(all.map(({ hash }) => hash)).size).to.equal(1);
      expect(await place.stored()).to.have.length(1);
    });

    it('keeps nothing of interrupted content, and throws its error', async () => {
      const broken = async function* () {
        yield Buffer.from('half of');
        throw new Error('line dropped');
      };
      const error = await blobs.put(broken()).catch((reason: Error) => reason.message);
      expect(error).to.equal('line dropped');
      expect(await place.stored()).to.deep.equal([]);
    });

    it('has no content that was never put', async () => {
      const hash = sha256(Buffer.from('never'));
      expect(await blobs.size(hash)).to.equal(undefined);
      const error = await read(blobs.open(hash)).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error);
    });

    for (const name of ['', '..', '../../etc/passwd', 'ABC', `${'0'.repeat(62)}/.`]) {
      it(`refuses a name that is not a hash: ${JSON.stringify(name)}`, async () => {
        const error = await (async () => read(blobs.open(name)))().catch((reason: unknown) => reason);
        expect(error).to.be.instanceOf(Error);
        const size = await (async () => blobs.size(name))().catch(() => undefined);
        expect(size).to.equal(undefined);
      });
    }

    it('has all content after a restart', async () => {
      const { hash } = await blobs.put(Buffer.from('stays'));
      blobs = await place.reopen();
      expect((await read(blobs.open(hash))).toString()).to.equal('stays');
    });

    it('gives a reader the whole content while it is put again', async () => {
      const content = randomBytes(500_000);
      const { hash } = await blobs.put(content);
      const reading = read(blobs.open(hash));
      await blobs.put(content);
      expect((await reading).equals(content)).to.equal(true);
    });
  });
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function read(source: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function* stream(chunks: readonly Uint8Array[]) {
  yield* chunks;
}
