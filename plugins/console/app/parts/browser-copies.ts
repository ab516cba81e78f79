import { createStore, del, getMany, keys, set } from 'idb-keyval';
import { pageUser } from '../api.ts';
import { leaveUnasked } from './leaving.ts';
import { type CopyStore, type LocalCopy, writeAllCopies } from './local-copies.ts';

let opened: ReturnType<typeof createStore> | undefined;

function store(): ReturnType<typeof createStore> {
  opened ??= createStore('headwater', 'forms');
  return opened;
}

const LOCK = 'headwater-form ';

/** Persons who have discarded their copies: no form of this page writes one again. */
const discarded = new Set<string>();
const personOf = (key: string) => key.slice(0, key.indexOf(' '));

/** From the tab where a person signs out. */
interface Discarded {
  readonly person: string;
}
const tabs = new BroadcastChannel('headwater-copies');
tabs.onmessage = async ({ data: { person } }: MessageEvent<Discarded>) => {
  // Also what this tab has written before it got the message.
  await removeAll(person);
  if (pageUser.peek() === person) leaveUnasked();
};

async function removeAll(person: string): Promise<void> {
  discarded.add(person);
  for (const key of await browserCopies.keys())
    if (personOf(key) === person) await browserCopies.remove(key);
}

/** Removes all copies of a person who has signed out; tabs with their forms show the sign-in page. */
export async function discardCopiesOf(person: string): Promise<void> {
  await removeAll(person);
  tabs.postMessage({ person } satisfies Discarded);
}

/** Copies of a person, the newest first. */
export async function copiesOf(person: string): Promise<readonly LocalCopy<unknown>[]> {
  await writeAllCopies();
  const own = (await browserCopies.keys()).filter((key) => personOf(key) === person);
  const copies = (await browserCopies.read<unknown>(own)).filter((copy) => copy !== undefined);
  return copies.sort((one, other) => (one.at > other.at ? -1 : 1));
}

/** The browser's database. Web Locks end with their page, however it ends. */
export const browserCopies: CopyStore = {
  keys: () => keys<string>(store()),
  read: <T>(wanted: readonly string[]) => getMany<LocalCopy<T> | undefined>([...wanted], store()),
  async write(key, copy) {
    if (!discarded.has(personOf(key))) await set(key, copy, store());
  },
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
