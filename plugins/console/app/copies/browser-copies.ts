import { createStore, getMany, keys, promisifyRequest, type UseStore } from 'idb-keyval';
import { pageUser } from '../api.ts';
import { leaveUnasked } from '../parts/leaving.ts';
import { withoutOld } from './bounded-copies.ts';
import { earlyKeys, forgetEarly, readEarly, removeEarly, writeEarly } from './early-copies.ts';
import { type CopyStore, type LocalCopy, writeAllCopies } from './local-copies.ts';

let opened: UseStore | undefined;
/** Until the database has answered. Then what is written is there, also where the page is left right after, or it has failed. */
let isOpening = true;

/** How long a form waits for a database that does not open, in milliseconds: some never do, until the browser is started again. */
const LONGEST_OPENING = 3000;
let longest: Promise<void> | undefined;

/** The database does not open: what is early stays where it is. */
class NotOpen extends Error {}

const store: UseStore = (mode, work) => {
  opened ??= createStore('headwater', 'forms');
  const answer = opened(mode, work).finally(() => {
    isOpening = false;
  });
  if (!isOpening) return answer;
  longest ??= after(LONGEST_OPENING).then(() => {
    // Forms have looked by then, and look again.
    if (isOpening) void answer.then(tellAll).catch(() => undefined);
  });
  const late = longest.then(() => {
    if (isOpening) throw new NotOpen();
    return answer;
  });
  return Promise.race([answer, late]);
};

function change(work: (copies: IDBObjectStore) => void): Promise<void> {
  return store('readwrite', (copies) => {
    work(copies);
    // Not once there is nothing more to do: a page that is left does not live to see that.
    copies.transaction.commit();
    return promisifyRequest(copies.transaction);
  });
}

const LOCK = 'headwater-form ';

/** Persons who have discarded their copies: no form of this page writes one again. */
const discarded = new Set<string>();
const personOf = (key: string) => key.slice(0, key.indexOf(' '));

/** How long a person who signs out waits for the database, in milliseconds: for what it has, and for its removal. */
const LONGEST_LOOK = 1000;
const LONGEST_REMOVAL = 3000;

const after = (milliseconds: number) =>
  new Promise<undefined>((resolve) => setTimeout(resolve, milliseconds));

/** @returns undefined where the database cannot be opened, or needs longer */
function within<T>(milliseconds: number, answer: Promise<T>): Promise<T | undefined> {
  return Promise.race([answer.catch(() => undefined), after(milliseconds)]);
}

function tell(key: string): void {
  for (const listener of listeners) listener(key);
}

async function tellAll(): Promise<void> {
  canMove = true;
  for (const key of await browserCopies.keys()) tell(key);
}

/** Between tabs: there is a copy of a form; a person has signed out and discarded all. */
type TabMessage = { readonly announced: string } | { readonly discardedOf: string };

const tabs = new BroadcastChannel('headwater-copies');
const listeners = new Set<(key: string) => void>();
tabs.onmessage = async ({ data }: MessageEvent<TabMessage>) => {
  if ('announced' in data) return tell(data.announced);
  // Also what this tab has written before it got the message.
  await removeAll(data.discardedOf);
  if (pageUser.peek() === data.discardedOf) leaveUnasked();
};

async function removeAll(person: string): Promise<void> {
  discarded.add(person);
  for (const key of earlyKeys()) if (personOf(key) === person) forgetEarly(key);
  await within(LONGEST_REMOVAL, removeStored(person));
}

/** Not early ones: by the time the database opens, there may be such that the person has typed after signing in again. */
async function removeStored(person: string): Promise<void> {
  for (const key of await keys<string>(store)) if (personOf(key) === person) await browserCopies.remove(key);
}

/** Removes all copies of a person who has signed out; tabs with their forms show the sign-in page. */
export async function discardCopiesOf(person: string): Promise<void> {
  await removeAll(person);
  tabs.postMessage({ discardedOf: person } satisfies TabMessage);
}

/** Copies of a person, the newest first. */
export async function copiesOf(person: string): Promise<readonly LocalCopy<unknown>[]> {
  const isOwn = (key: string) => personOf(key) === person;
  const found = await within(LONGEST_LOOK, storedOf(isOwn));
  // Those of pages whose database is not open yet, or never was.
  const copies = (found ?? earlyKeys().filter(isOwn).map(readEarly)).filter((copy) => copy !== undefined);
  return copies.sort((one, other) => (one.at > other.at ? -1 : 1));
}

async function storedOf(
  isOwn: (key: string) => boolean,
): Promise<readonly (LocalCopy<unknown> | undefined)[]> {
  await writeAllCopies();
  const keys = await browserCopies.keys();
  return browserCopies.read(keys.filter(isOwn));
}

let canMove = true;

/** Puts into the database what pages have left that ended before they had opened it. */
async function moveEarly(): Promise<void> {
  for (const key of earlyKeys()) {
    const release = await claim(key);
    // Its form is open, and writes it itself.
    if (!release) continue;
    try {
      const copy = readEarly(key);
      const [stored] = await getMany<LocalCopy<unknown> | undefined>([key], store);
      const isNew = copy !== undefined && !(stored && stored.at >= copy.at);
      if (isNew && !discarded.has(personOf(key))) await change((copies) => copies.put(copy, key));
      forgetEarly(key);
    } finally {
      release();
    }
  }
}

const claim: CopyStore['claim'] = (key) =>
  new Promise((resolve, reject) => {
    const hold = (lock: Lock | null) =>
      lock ? new Promise<void>((release) => resolve(release)) : resolve(undefined);
    navigator.locks.request(LOCK + key, { ifAvailable: true }, hold).catch(reject);
  });

/** The browser's database. Web Locks end with their page, however it ends. */
export const browserCopies: CopyStore = withoutOld({
  async keys() {
    // A copy that cannot be moved stays where it is. Each try claims it for a moment, in which its form does not get it.
    if (canMove)
      await moveEarly().catch(() => {
        canMove = false;
      });
    const stored = await keys<string>(store).catch(() => []);
    return [...new Set([...stored, ...earlyKeys()])];
  },
  async read<T>(wanted: readonly string[]) {
    const stored = await getMany<LocalCopy<T> | undefined>([...wanted], store).catch(() => []);
    return wanted.map((key, at) => stored[at] ?? (readEarly(key) as LocalCopy<T> | undefined));
  },
  async write(key, copy) {
    if (discarded.has(personOf(key))) return;
    const isEarly = isOpening && writeEarly(key, copy);
    try {
      await change((copies) => copies.put(copy, key));
    } catch (error) {
      if (isEarly && error instanceof NotOpen) return;
      // The form says so. A page that ends before has left its copy.
      removeEarly(key);
      throw error;
    }
    removeEarly(key);
  },
  async remove(key) {
    removeEarly(key);
    try {
      await change((copies) => copies.delete(key));
    } catch (error) {
      if (!(error instanceof NotOpen)) throw error;
    }
  },
  open(key) {
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    navigator.locks.request(LOCK + key, () => closed).catch(() => undefined);
    return close;
  },
  claim,
  async opened() {
    const { held = [], pending = [] } = await navigator.locks.query();
    // A shared one is of a page that waits for the form to be closed.
    const forms = [...held, ...pending].filter(({ mode }) => mode === 'exclusive');
    const names = forms.flatMap(({ name }) => (name?.startsWith(LOCK) ? [name] : []));
    return new Set(names.map((name) => name.slice(LOCK.length)));
  },
  closed: (key, signal) =>
    navigator.locks.request(LOCK + key, { mode: 'shared', signal }, async () => undefined),
  announce: (key) => tabs.postMessage({ announced: key } satisfies TabMessage),
  follow(listener) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
});
