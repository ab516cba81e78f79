import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Change } from '../../core/contract.ts';
import { Pieces } from '../../plugins/caching/pieces.ts';
import { HeaderWriter } from '../../plugins/response-cache/cache-headers.ts';
import { Entry } from '../../plugins/response-cache/entry.ts';
import { FeedTagVersions, FRESH, LONG_AGO } from '../../plugins/response-cache/feed-tag-versions.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const EPOCH = 'one';
const writer = new HeaderWriter({
  isPublic: true,
  browserSeconds: 0,
  sharedSeconds: 1,
  surrogateKeys: false,
  vendor: 'SVC',
});

describe('tag versions of the response cache', () => {
  let versions: FeedTagVersions;
  let now: number;
  let sequence: number;
  beforeEach(() => {
    versions = new FeedTagVersions();
    now = 1000;
    sequence = 100;
  });

  function change(more: Partial<Change> = {}, onGap: 'ignore' | 'stale' = 'ignore'): void {
    sequence = more.sequence ?? sequence + 1;
    versions.onChange({ epoch: EPOCH, project: PROJECT, tags: [], ...more, sequence }, now, onGap);
  }

  function entry(tags: readonly string[], project = PROJECT): Entry {
    const { generation } = versions;
    return new Entry({
      coreHeaders: {},
      body: Buffer.from('{}'),
      project,
      tags,
      sequence,
      confirmed: now,
      generation,
      versions: versions.of(project),
      headers: writer,
    });
  }

  it('outdate everything at a gap of the feed, where it can lose changes', () => {
    change();
    const mine = entry(['item:a']);
    const others = entry(['item:a'], OTHER);
    expect([versions.isFresh(mine), versions.isFresh(others)]).to.deep.equal([true, true]);
    change({ tags: ['item:b'] }, 'stale');
    expect([versions.isFresh(mine), versions.isFresh(others)]).to.deep.equal([true, true]);
    change({ sequence: sequence + 2, tags: ['item:b'] }, 'stale');
    expect([versions.isFresh(mine), versions.isFresh(others)]).to.deep.equal([false, false]);
    expect([versions.staleSince(mine), versions.staleSince(others)]).to.deep.equal([LONG_AGO, LONG_AGO]);
    expect(versions.isFresh(entry(['item:a']))).to.equal(true);
  });

  it('outdate what is older than the position at which a feed goes on after a gap', () => {
    change();
    const mine = entry(['item:a']);
    const others = entry(['item:a'], OTHER);
    expect([versions.isFresh(mine), versions.isFresh(others)]).to.deep.equal([true, true]);
    const { generation } = versions;
    versions.onReset({ sequence: sequence + 5, epoch: EPOCH });
    expect([versions.isFresh(mine), versions.isFresh(others)]).to.deep.equal([false, false]);
    expect(versions.staleSince(mine)).to.equal(LONG_AGO);
    expect([versions.generation, versions.newest]).to.deep.equal([generation, sequence + 5]);
    sequence += 5;
    const later = entry(['item:a']);
    change({ tags: ['item:b'] }, 'stale');
    expect(versions.isFresh(later)).to.equal(true);
  });

  it('are not comparable after a reset to another epoch', () => {
    change();
    const mine = entry(['item:a']);
    versions.onReset({ sequence: 1, epoch: 'two' });
    expect(versions.isFresh(mine)).to.equal(false);
    expect(versions.generation).not.to.equal(mine.generation);
    sequence = 1;
    const later = entry(['item:a']);
    change({ epoch: 'two', tags: ['item:b'] });
    expect(versions.isFresh(later)).to.equal(true);
  });

  it('see no gap between projects, before the first change, or within a transaction', () => {
    change({}, 'stale');
    const mine = entry(['item:a']);
    change({ project: OTHER, tags: ['item:a'] }, 'stale');
    change({ sequence, project: PROJECT, tags: ['item:b'] }, 'stale');
    expect(versions.isFresh(mine)).to.equal(true);
  });

  it('ignore a gap where no change can be lost', () => {
    change();
    const mine = entry(['item:a']);
    change({ sequence: sequence + 10, tags: ['item:b'] });
    expect(versions.isFresh(mine)).to.equal(true);
  });

  it('outdate the older answers of the project with the most changed places, where all have too many', () => {
    change();
    const [mine, whole] = [entry(['item:a']), entry(['*'])];
    const others = entry(['item:a'], OTHER);
    const places = (first: number) => Array.from({ length: 45_000 }, (_, at) => `item:x${first + at}`);
    change({ tags: places(0) });
    change({ tags: places(45_000) });
    expect([versions.isFresh(mine), versions.isFresh(whole)]).to.deep.equal([true, false]);
    change({ tags: places(0), project: OTHER });
    change();
    expect(versions.staleSince(mine)).to.equal(LONG_AGO);
    expect(versions.isFresh(others)).to.equal(true);
    const later = entry(['item:a']);
    expect(versions.isFresh(later)).to.equal(true);
    now += 20;
    change({ tags: ['item:a'] });
    expect(versions.staleSince(later)).to.equal(now);
  });

  it('date a tag that changes all the time by its oldest unseen change', () => {
    change({ tags: ['item:a'] });
    const kept = entry(['item:a']);
    expect(versions.staleSince(kept)).to.equal(FRESH);
    const first = now + 10;
    for (now = first; now < first + 9_000; now += 10) change({ tags: ['item:a'] });
    // Never too late a time; a mark covers 50 ms of changes.
    expect(versions.staleSince(kept)).to.be.within(first - 50, first);
    for (; now < first + 30_000; now += 10) change({ tags: ['item:a'] });
    expect(versions.staleSince(kept)).to.equal(LONG_AGO);
  });
});

describe('kept bytes', () => {
  const text = Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, text: 'text' }))));
  const keptOf = (body: Buffer | Pieces) =>
    new Entry({
      coreHeaders: { etag: '"a"' },
      body,
      project: PROJECT,
      tags: [],
      sequence: 1,
      confirmed: 0,
      generation: 0,
      versions: new FeedTagVersions().of(PROJECT),
      headers: writer,
    });

  it('are no pieces of larger memory, which would be kept with them', () => {
    const kept = keptOf(Buffer.concat([Buffer.alloc(100_000), text]).subarray(100_000));
    kept.add('gzip', gzipSync(text));
    kept.add('br', brotliCompressSync(text));
    for (const [encoding, encoded] of kept.bodies)
      expect(encoded.body.buffer.byteLength, encoding).to.be.at.most(1.25 * encoded.body.length);
    expect(kept.body('identity').body.equals(text)).to.equal(true);
  });

  it('stay the pieces they came in until they are needed as one', () => {
    const parts = [
      Buffer.concat(Array.from({ length: 100 }, () => text)),
      Buffer.alloc(0),
      Buffer.from('end'),
    ];
    const { length } = Buffer.concat(parts);
    const kept = keptOf(new Pieces(parts, length));
    const { size } = kept;
    const identity = kept.body('identity');
    for (let response = 0; response < 2; response++) {
      const { unjoined } = identity;
      expect(unjoined).to.be.instanceOf(Pieces);
      expect((unjoined as Pieces).all).to.equal(parts);
    }
    expect(identity.body.equals(Buffer.concat(parts))).to.equal(true);
    expect(identity.body).to.equal(identity.body);
    expect(identity.unjoined).to.equal(identity.body);
    expect([identity.length, kept.size]).to.deep.equal([length, size]);
  });

  it('are joined where their pieces would keep more than twice as many', () => {
    const parts = Array.from({ length: 400 }, () => Buffer.alloc(8192).subarray(0, 209));
    const { unjoined } = keptOf(new Pieces(parts, 400 * 209)).body('identity');
    expect(Buffer.isBuffer(unjoined)).to.equal(true);
  });
});
