import type { CopyStore, LocalCopy } from './local-copies.ts';

/** Of a copy, in characters of JSON: the longest form has some thousand. */
const LARGEST = 100_000;
/** Of copies of a person that no form has asked for again. */
const MOST = 50;
const LONGEST_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Copies whose size, age and number are bounded.
 *
 * @param ownerOf what names the owner in a key; undefined: it is not of these copies
 */
export function boundedCopies(store: CopyStore, ownerOf: (key: string) => string | undefined): CopyStore {
  const isOld = ({ at }: LocalCopy<unknown>) => Date.now() - Date.parse(at) > LONGEST_DAYS * DAY_MS;
  return {
    ...store,
    /** Removes those that are too old or too many, before it names the others. */
    async keys() {
      const [all, opened] = await Promise.all([store.keys(), store.opened()]);
      const closed = all.filter((key) => ownerOf(key) !== undefined && !opened.has(key));
      const copies = (await store.read<unknown>(closed)).flatMap((copy, index) =>
        copy ? [{ key: closed[index]!, copy }] : [],
      );
      copies.sort((one, other) => (one.copy.at > other.copy.at ? -1 : 1));
      const counts = new Map<string | undefined, number>();
      const removed = copies.filter(({ key, copy }) => {
        const newer = counts.get(ownerOf(key)) ?? 0;
        counts.set(ownerOf(key), newer + 1);
        return newer >= MOST || isOld(copy);
      });
      for (const { key } of removed) await store.remove(key);
      return all.filter((key) => !removed.some((one) => one.key === key));
    },
    async write(key, copy) {
      if (JSON.stringify(copy).length > LARGEST) throw new RangeError('The copy is too long.');
      await store.write(key, copy);
    },
  };
}
