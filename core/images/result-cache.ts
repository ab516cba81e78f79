import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeAll } from '../storage/write-all.ts';
import { packResult, type Result, unpackResult } from './packed-result.ts';

export interface ResultCacheOptions {
  /** Created when missing; used by one process only. */
  readonly folder: string;
  /** Limit of all files together, bytes; 0 = cache nothing. */
  readonly maxBytes: number;
  readonly now: () => Date;
  /** Receives disk errors; the cache continues. */
  readonly failed: (error: unknown) => void;
}

export interface ResultCacheFigures {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
}

interface Entry {
  readonly bytes: number;
  /** When its file was last marked as used, ms. */
  readonly touched: number;
}

/** Interval in which uses are marked on disk, so that the order survives a restart; ms. */
const TOUCH_EVERY = 3_600_000;
/** Most bytes waiting to be written; beyond them the disk is too slow, and results are not stored. */
const MOST_WAITING = 64 * 1024 * 1024;
const STATS_AT_ONCE = 16;

/**
 * Results on disk by key, bounded in bytes, least recently used evicted first. Files are renamed into place and carry
 * a checksum, so leftovers of a killed process or a failing disk are never served. A key identifies everything the
 * result depends on, so results never expire.
 *
 * After a start, results are found at once while existing files are still being counted.
 */
export class ResultCache {
  readonly #options: ResultCacheOptions;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #hits = 0;
  #misses = 0;
  #waiting = 0;
  #counted = false;
  #closed = false;
  /** Counting, then writes one after another. */
  #work: Promise<void>;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
    this.#work = this.#start().catch(options.failed);
  }

  static key(parts: readonly string[]): string {
    return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 40);
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  figures(): ResultCacheFigures {
    return { ...this.size, hits: this.#hits, misses: this.#misses };
  }

  /** False = certainly absent. */
  mayHave(key: string): boolean {
    return this.#entries.has(key) || !(this.#counted || this.#options.maxBytes === 0);
  }

  async get(key: string): Promise<Result | undefined> {
    const result = await this.#read(key);
    if (result) this.#hits++;
    else this.#misses++;
    return result;
  }

  async #read(key: string): Promise<Result | undefined> {
    if (!this.mayHave(key)) return undefined;
    const entry = this.#entries.get(key);
    const path = this.#path(key);
    let isMissing = false;
    const packed = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      isMissing = error.code === 'ENOENT';
      if (!isMissing) this.#options.failed(error);
      return undefined;
    });
    const result = packed && unpackResult(key, packed);
    // Damaged, or removed by another process.
    if (!result && (packed || (isMissing && entry))) this.#after(() => this.#remove(key));
    if (result && entry) this.#use(key, entry, path);
    return result;
  }

  /** Resolves when the result is stored or rejected. */
  put(key: string, result: Result): Promise<void> {
    const packed = packResult(key, result);
    const length = packed[0].length + packed[1].length;
    if (this.#closed || length > this.#options.maxBytes || this.#waiting + length > MOST_WAITING) {
      return Promise.resolve();
    }
    this.#waiting += length;
    return this.#after(() =>
      this.#write(key, packed, length).finally(() => {
        this.#waiting -= length;
      }),
    );
  }

  /** Waits for counting and running writes. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#work;
  }

  /** Resolves when all files are counted and written. */
  async idle(): Promise<void> {
    await this.#work;
  }

  #after(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch(this.#options.failed);
    return this.#work;
  }

  #use(key: string, entry: Entry, path: string): void {
    const now = this.#options.now();
    const isDue = Math.abs(now.getTime() - entry.touched) >= TOUCH_EVERY;
    // The entry may have been evicted meanwhile.
    if (!this.#entries.delete(key)) return;
    this.#entries.set(key, isDue ? { ...entry, touched: now.getTime() } : entry);
    if (isDue) utimes(path, now, now).catch(this.#options.failed);
  }

  /** Each disk operation costs some 0.1 ms of CPU: there are four, unless the folder was emptied by hand. */
  async #write(key: string, packed: readonly Uint8Array[], bytes: number): Promise<void> {
    if (this.#entries.has(key)) await this.#remove(key);
    if (!(await this.#evictFor(bytes))) return;
    const path = this.#path(key);
    const unfinished = join(this.#unfinished, randomUUID());
    try {
      const file = await withFolderOf(unfinished, () => open(unfinished, 'wx'));
      await writeAll(file, packed).finally(() => file.close());
      await withFolderOf(path, () => rename(unfinished, path));
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    this.#add(key, { bytes, touched: this.#options.now().getTime() });
  }

  /** Returns false when files cannot be removed. */
  async #evictFor(bytes: number): Promise<boolean> {
    for (const key of this.#entries.keys()) {
      if (this.#bytes + bytes <= this.#options.maxBytes) break;
      await this.#remove(key).catch(this.#options.failed);
    }
    return this.#bytes + bytes <= this.#options.maxBytes;
  }

  async #remove(key: string): Promise<void> {
    await rm(this.#path(key), { force: true });
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  /** Counts files of an earlier process, ordered by last use. */
  async #start(): Promise<void> {
    const { folder, maxBytes } = this.#options;
    await rm(this.#unfinished, { recursive: true, force: true });
    if (maxBytes === 0) await rm(folder, { recursive: true, force: true });
    else {
      await mkdir(this.#unfinished, { recursive: true });
      const found: [string, Entry][] = [];
      for (const group of await readdir(folder, { withFileTypes: true })) {
        if (this.#closed) return;
        if (group.isDirectory() && /^[0-9a-f]{2}$/.test(group.name))
          found.push(...(await entriesOf(folder, group.name)));
      }
      found.sort(([, one], [, other]) => one.touched - other.touched);
      for (const [key, entry] of found) this.#add(key, entry);
      await this.#evictFor(0);
    }
    this.#counted = true;
  }

  get #unfinished(): string {
    return join(this.#options.folder, 'unfinished');
  }

  #path(key: string): string {
    return join(this.#options.folder, key.slice(0, 2), key.slice(2));
  }
}

/** Creates the folder of a file only after a failure. */
async function withFolderOf<Done>(path: string, act: () => Promise<Done>): Promise<Done> {
  try {
    return await act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    return act();
  }
}

async function entriesOf(folder: string, group: string): Promise<[string, Entry][]> {
  const found: [string, Entry][] = [];
  const files = await readdir(join(folder, group), { withFileTypes: true });
  // Other files are ignored.
  const names = files
    .filter((entry) => entry.isFile() && /^[0-9a-f]{38}$/.test(entry.name))
    .map(({ name }) => name);
  for (let at = 0; at < names.length; at += STATS_AT_ONCE) {
    const some = names.slice(at, at + STATS_AT_ONCE).map(async (name): Promise<[string, Entry]> => {
      const { size, mtimeMs } = await stat(join(folder, group, name));
      return [`${group}${name}`, { bytes: size, touched: mtimeMs }];
    });
    found.push(...(await Promise.all(some)));
  }
  return found;
}
