import { createStore, del, getMany, keys, set } from 'idb-keyval';
import type { CopyStore, LocalCopy } from './local-copies.ts';

let opened: ReturnType<typeof createStore> | undefined;

function store(): ReturnType<typeof createStore> {
  opened ??= createStore('headwater', 'forms');
  return opened;
}

const LOCK = 'headwater-form ';

/** The browser's database. Web Locks end with their page, however it ends. */
export const browserCopies: CopyStore = {
  keys: () => keys<string>(store()),
  read: <T>(wanted: readonly string[]) => getMany<LocalCopy<T> | undefined>([...wanted], store()),
  write: (key, copy) => set(key, copy, store()),
  remove: (key) => del(key, store()),
  open(key) {
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    navigator.locks.request(LOCK + key, () => closed).catch(() => undefined);
    return close;
  },
  claim: (key) =>
    new Promise((resolve, reject) => {
      const hold = (lock: Lock | null) =>
        lock ? new Promise<void>((release) => resolve(release)) : resolve(undefined);
      navigator.locks.request(LOCK + key, { ifAvailable: true }, hold).catch(reject);
    }),
  async opened() {
    const { held = [], pending = [] } = await navigator.locks.query();
    // A shared one is of a page that waits for the form to be closed.
    const forms = [...held, ...pending].filter(({ mode }) => mode === 'exclusive');
    const names = forms.flatMap(({ name }) => (name?.startsWith(LOCK) ? [name] : []));
    return new Set(names.map((name) => name.slice(LOCK.length)));
  },
  closed: (key, signal) =>
    navigator.locks.request(LOCK + key, { mode: 'shared', signal }, async () => undefined),
};
