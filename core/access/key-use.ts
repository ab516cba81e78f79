import type { Storage } from '../storage/ports.ts';
import { timestamp } from '../storage/timestamp.ts';

const FLUSH_MS = 5000;

/**
 * Last use of keys: in memory, and written for all keys together every few seconds, without an entry in the change log,
 * which would invalidate caches.
 */
export class KeyUse {
  readonly #storage: Storage;
  readonly #now: () => Date;
  readonly #failed: (error: unknown) => void;
  #pending = new Map<string, number>();
  /** Being written. */
  #writing: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: Storage, now: () => Date, failed: (error: unknown) => void) {
    this.#storage = storage;
    this.#now = now;
    this.#failed = failed;
  }

  /** @param key id of an existing key */
  record(key: string): void {
    this.#pending.set(key, this.#now().getTime());
    this.#timer ??= setTimeout(() => this.#flush().catch(this.#failed), FLUSH_MS).unref();
  }

  /** Last use that is not written yet. */
  pending(key: string): string | undefined {
    const at = this.#pending.get(key) ?? this.#writing.get(key);
    return at === undefined ? undefined : timestamp(at);
  }

  async close(): Promise<void> {
    await this.#flush().catch(this.#failed);
  }

  /** Writes the newest time for all keys, so that one statement is enough. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const used = this.#pending;
    if (used.size === 0) return;
    this.#pending = new Map();
    this.#writing = used;
    let newest = 0;
    for (const at of used.values()) if (at > newest) newest = at;
    try {
      await this.#storage.write(async (tx) => {
        const { text, parameter } = tx.among('id', [...used.keys()]);
        await tx.run(`UPDATE api_key SET last_used = ? WHERE ${text}`, [timestamp(newest), parameter]);
      });
    } catch (error) {
      // Written with the next ones.
      this.#pending = new Map([...used, ...this.#pending]);
      throw error;
    } finally {
      this.#writing = new Map();
    }
  }
}
