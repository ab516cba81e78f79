import type { CopyStore, LocalCopy } from './local-copies.ts';

/** Of a copy, in characters of JSON: the longest form has some thousand. */
const LARGEST = 100_000;
/** Of copies of a person that no form has asked for again. */
const MOST = 50;
/** A copy that is younger is never removed for its age. */
const LONGEST_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes copies that are too old, of any person, before it names the others for the first time; but not of an open form. */
export function withoutOld(store: CopyStore): CopyStore {
  const isOld = (copy: LocalCopy<unknown> | undefined) =>
    copy !== undefined && Date.now() - Date.parse(copy.at) > LONGEST_DAYS * DAY_MS;
  const removeOld = async () => {
    const keys = await store.keys();
    const copies = await store.read<unknown>(keys);
    for (const key of keys.filter((_, at) => isOld(copies[at]))) {
      // A form that finds it meanwhile has it.
      const release = await store.claim(key);
      if (release) await store.remove(key).finally(release);
    }
  };
  let removal: Promise<void> | undefined;
  return {
    ...store,
    async keys() {
      removal ??= removeOld().catch(() => undefined);
      await removal;
      return store.keys();
    },
  };
}

/**
 * Copies whose size and number are bounded.
 *
 * @param ownerOf what names the owner in a key; undefined: it is not of these copies
 */
export function boundedCopies(store: CopyStore, ownerOf: (key: string) => string | undefined): CopyStore {
  return {
    ...store,
    /** Removes those that are too many, the oldest ones, before it names the others. */
    async keys() {
      const [all, opened] = await Promise.all([store.keys(), store.opened()]);
      const closed = all.filter((key) => ownerOf(key) !== undefined && !opened.has(key));
      const copies = (await store.read<unknown>(closed)).flatMap((copy, index) =>
        copy ? [{ key: closed[index]!, copy }] : [],
      );
      copies.sort((one, other) => (one.copy.at > other.copy.at ? -1 : 1));
      const counts = new Map<string | undefined, number>();
      const removed = copies.filter(({ key }) => {
        const newer = counts.get(ownerOf(key)) ?? 0;
        counts.set(ownerOf(key), newer + 1);
        return newer >= MOST;
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
