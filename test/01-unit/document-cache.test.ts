import { expect } from 'chai';
import { DocumentCache } from '../../core/delivery/document-cache.ts';
import type { StoredDocument } from '../../core/storage/page-plan.ts';
import type { Reader } from '../../core/storage/ports.ts';
import { longTest } from '../support/long-form.ts';

const URLS = 2000;
const SHORT = 'http://a';
const LONG = `https://assets.example/${'x'.repeat(80)}`;
const CAPACITY = 64 * 1024 * 1024;
const MOST = Math.floor(CAPACITY / (URLS * LONG.length));
const MODEL = { epoch: 'a', namesSequence: 0 };
const RESTORED = { epoch: 'b', namesSequence: 0 };
const SHOWN = { elements: null, model: MODEL };
const NUMBERS = Array.from({ length: 1000 }, (_, at) => at + 1);

/** Documents of 2,000 asset URLs each: some kB compiled, 200 kB with a long base. */
function stored(number: number): StoredDocument {
  return {
    number,
    epoch: '',
    names: 0,
    item: number,
    codename: `item_${number}`,
    type: 1,
    body: Buffer.from(`["${'\u0001","'.repeat(URLS - 1)}\u0001"]`),
    components: '',
    layout: '{"elements":[],"components":[]}',
  };
}

describe('documents in memory', () => {
  let cache: DocumentCache;
  let read: number;
  const reader = (epoch = 'a') =>
    ({
      documents: async (numbers: readonly number[]) => {
        read += numbers.length;
        return numbers.map((number) => ({ ...stored(number), epoch }));
      },
    }) as unknown as Reader;
  beforeEach(() => {
    cache = new DocumentCache();
    read = 0;
  });
  async function get(numbers: readonly number[], base: string) {
    const documents = (await cache.documents(reader(), numbers, SHOWN)) ?? [];
    cache.show(documents, SHOWN, base);
    return documents;
  }
  /** Newest first, as those that are read again displace the oldest. */
  async function inMemory(base: string): Promise<number> {
    let found = 0;
    for (const number of NUMBERS.toReversed()) {
      read = 0;
      await get([number], base);
      if (read === 1) break;
      found += 1;
    }
    return found;
  }

  it('are known only where all of them are there, with the same elements and names', async () => {
    const documents = await get([1, 2], SHORT);
    expect(cache.known([2, 1], SHOWN)).to.deep.equal(documents.toReversed());
    expect(cache.known([], SHOWN)).to.deep.equal([]);
    expect(cache.known([1, 3], SHOWN)).to.equal(undefined);
    expect(cache.known([1], { ...SHOWN, elements: ['title'] })).to.equal(undefined);
    expect(cache.known([1], { ...SHOWN, model: { ...MODEL, namesSequence: 1 } })).to.equal(undefined);
    expect(read).to.equal(2);
  });

  it('are read again after a restore, which gives their numbers a second time', async () => {
    const [former] = await get([1], SHORT);
    const restored = { ...SHOWN, model: RESTORED };
    expect(cache.known([1], restored)).to.equal(undefined);
    const [document] = (await cache.documents(reader('b'), [1], restored)) ?? [];
    expect(read).to.equal(2);
    expect(document).not.to.equal(former);
    expect(cache.known([1], restored)).to.deep.equal([document]);
  });

  it('are not shown where a restore came between their numbers and them', async () => {
    expect(await cache.documents(reader('b'), [1], SHOWN)).to.equal(undefined);
    expect(cache.known([1], SHOWN)).to.equal(undefined);
  });

  it('are found for items anew in another epoch, whose sequences may be those of lost commits', async () => {
    let resolved = 0;
    const resolving = {
      documents: reader('b').documents,
      resolve: async (_project: number, _view: number, items: readonly number[]) => {
        resolved += 1;
        return { sequence: 5, documents: new Map(items.map((item) => [item, item])) };
      },
    } as unknown as Reader;
    for (const _ of [1, 2]) expect(await cache.resolve(resolving, 1, 1, 5, [7])).to.deep.equal([7]);
    expect(resolved).to.equal(1);
    await cache.documents(resolving, [1], { ...SHOWN, model: RESTORED });
    expect(await cache.resolve(resolving, 1, 1, 5, [7])).to.deep.equal([7]);
    expect(resolved).to.equal(2);
  });

  it('take no more than 64 MB with the base of their asset URLs', async () => {
    for (const number of NUMBERS) await get([number], LONG);
    expect(await inMemory(LONG)).to.be.within(MOST / 2, MOST);
  });

  longTest('count again where another request has a longer base', async () => {
    await get(NUMBERS, SHORT);
    expect(read).to.equal(NUMBERS.length);
    for (const number of NUMBERS) await get([number], LONG);
    expect(await inMemory(LONG)).to.be.within(MOST / 2, MOST);
  });

  it('take no more for a base that they are not sent with', async () => {
    await get(NUMBERS, SHORT);
    const documents = (await cache.documents(reader(), NUMBERS, SHOWN)) ?? [];
    const bytes = documents[0]!.bytes(LONG);
    expect(bytes).to.be.greaterThan(URLS * LONG.length);
    expect(await inMemory(SHORT)).to.equal(NUMBERS.length);
    cache.show([documents[0]!], SHOWN, LONG);
    expect(documents[0]!.bytes()).to.equal(bytes);
  });

  it('are read again where elements were renamed, and not shown with names of another model', async () => {
    const namesOf = async (names: number, namesSequence: number, epoch = 'a') => {
      const named = {
        documents: async () => [{ ...stored(1), epoch, names, body: Buffer.from(`"${names}"`) }],
      } as unknown as Reader;
      const found = await cache.documents(named, [1], { elements: null, model: { epoch, namesSequence } });
      return found && Buffer.from(found[0]!.body(SHORT)).toString();
    };
    expect(await namesOf(0, 0)).to.equal('"0",');
    expect(await namesOf(7, 0)).to.equal('"0",');
    expect(await namesOf(7, 7)).to.equal('"7",');
    expect(await namesOf(7, 0, 'b')).to.equal(undefined);
    expect(await namesOf(0, 7, 'b')).to.equal(undefined);
    expect(await namesOf(7, 7, 'b')).to.equal('"7",');
  });

  it('are those of the numbers in their order, with the base of each request', async () => {
    for (const base of [SHORT, LONG, SHORT]) {
      const documents = await get([3, 1, 2], base);
      expect(documents.map(({ number }) => number)).to.deep.equal([3, 1, 2]);
      for (const document of documents)
        expect(JSON.parse(Buffer.from(document.body(base).subarray(0, -1)).toString())).to.deep.equal(
          Array.from({ length: URLS }, () => base),
        );
    }
    expect(read).to.equal(3);
  });
});
