/** What a browser keeps of forms, without one: copies of forms, and which forms are open. */
import type { CopyStore, LocalCopy } from '../../../plugins/console/app/copies/local-copies.ts';
import type { UnsavedElement } from '../../../plugins/console/app/screens/item/item-form.ts';

export class BrowserOfTest implements CopyStore {
  readonly stored = new Map<string, LocalCopy<UnsavedElement>>();
  readonly forms = new Set<string>();
  isFull = false;

  async keys() {
    return [...this.stored.keys()];
  }
  async read<T>(keys: readonly string[]) {
    return keys.map((key) => this.stored.get(key) as LocalCopy<T> | undefined);
  }
  async write<T>(key: string, copy: LocalCopy<T>) {
    if (this.isFull) throw new Error('There is no space.');
    this.stored.set(key, copy as LocalCopy<unknown> as LocalCopy<UnsavedElement>);
  }
  async remove(key: string) {
    this.stored.delete(key);
  }
  readonly #waiting = new Map<string, (() => void)[]>();
  open(key: string) {
    this.forms.add(key);
    return () => {
      this.forms.delete(key);
      for (const end of this.#waiting.get(key) ?? []) end();
      this.#waiting.delete(key);
    };
  }
  async claim(key: string) {
    return this.forms.has(key) ? undefined : this.open(key);
  }
  async opened() {
    return this.forms;
  }
  readonly #listeners = new Set<(key: string) => void>();
  announce(key: string) {
    for (const listener of this.#listeners) listener(key);
  }
  follow(listener: (key: string) => void) {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
  closed(key: string, signal: AbortSignal) {
    if (!this.forms.has(key)) return Promise.resolve();
    return new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve]);
    });
  }
}
