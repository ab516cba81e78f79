/** What a browser keeps for the item editor, without one: copies of forms, and which forms are open. */
import type { CopyStore, LocalCopy } from '../../plugins/console/app/screens/item/local-copy.ts';

export class BrowserOfTest implements CopyStore {
  readonly stored = new Map<string, LocalCopy>();
  readonly forms = new Set<string>();
  isFull = false;

  async keys() {
    return [...this.stored.keys()];
  }
  async read(keys: readonly string[]) {
    return keys.map((key) => this.stored.get(key));
  }
  async write(key: string, copy: LocalCopy) {
    if (this.isFull) throw new Error('There is no space.');
    this.stored.set(key, copy);
  }
  async remove(key: string) {
    this.stored.delete(key);
  }
  open(key: string) {
    this.forms.add(key);
    return () => void this.forms.delete(key);
  }
  async opened() {
    return this.forms;
  }
}
