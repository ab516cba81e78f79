/** The entries of one name. */
export interface Share<Entry> {
  readonly name: string;
  readonly waiting: Entry[];
  /** Tasks that run now. */
  running: number;
  /** Time used, in milliseconds, on the scale of all shares. */
  used: number;
}

/**
 * Start-time fair queueing: the share with the least used time is next. A share that was idle continues with the time of
 * the active ones: idle time is neither credited nor charged.
 */
export class FairQueue<Entry> {
  readonly #shares = new Map<string, Share<Entry>>();
  #now = 0;
  #length = 0;

  /** Entries that wait. */
  get length(): number {
    return this.#length;
  }

  share(name: string): Share<Entry> {
    let share = this.#shares.get(name);
    if (!share) {
      share = { name, waiting: [], running: 0, used: this.#now };
      this.#shares.set(name, share);
    }
    return share;
  }

  push(share: Share<Entry>, entry: Entry): void {
    if (share.waiting.length === 0 && share.running === 0) share.used = Math.max(share.used, this.#now);
    share.waiting.push(entry);
    this.#length++;
  }

  /** Takes the next entry of the shares that may run. The caller calls `begin`, or drops the entry. */
  take(
    mayRun: (share: Share<Entry>) => boolean,
  ): { readonly share: Share<Entry>; readonly entry: Entry } | undefined {
    let next: Share<Entry> | undefined;
    for (const share of this.#shares.values())
      if (share.waiting.length > 0 && (!next || share.used < next.used) && mayRun(share)) next = share;
    const entry = next?.waiting.shift();
    if (!next || entry === undefined) return undefined;
    this.#length--;
    return { share: next, entry };
  }

  /** Takes the next entry of a share, if it matches. The caller has called `begin` for the one before, or drops it. */
  takeNext(share: Share<Entry>, matches: (entry: Entry) => boolean): Entry | undefined {
    const entry = share.waiting[0];
    if (entry === undefined || !matches(entry)) return undefined;
    share.waiting.shift();
    this.#length--;
    return entry;
  }

  /** The entries of a share that were taken last are the next ones again. */
  putBack(share: Share<Entry>, entries: readonly Entry[]): void {
    share.waiting.unshift(...entries);
    this.#length += entries.length;
  }

  begin(share: Share<Entry>): void {
    if (share.running === 0) share.used = Math.max(share.used, this.#now);
    share.running++;
    this.#now = Math.max(this.#now, share.used);
  }

  end(share: Share<Entry>, milliseconds: number): void {
    share.running--;
    share.used += milliseconds;
  }

  /** Whether an entry of a matching share waits. */
  some(matches: (share: Share<Entry>) => boolean): boolean {
    for (const share of this.#shares.values()) if (share.waiting.length > 0 && matches(share)) return true;
    return false;
  }

  /** Removes the entries that `isRemoved` matches. */
  remove(isRemoved: (entry: Entry) => boolean): void {
    for (const { waiting } of this.#shares.values()) {
      let kept = 0;
      for (const entry of waiting) if (!isRemoved(entry)) waiting[kept++] = entry;
      this.#length -= waiting.length - kept;
      waiting.length = kept;
    }
  }

  /** Removes idle shares that have not used more time than the active ones. */
  removeIdle(): void {
    let isIdle = true;
    for (const { running, waiting } of this.#shares.values())
      if (running > 0 || waiting.length > 0) isIdle = false;
    if (isIdle) {
      this.#shares.clear();
      this.#now = 0;
      return;
    }
    for (const [name, { running, waiting, used }] of this.#shares)
      if (running === 0 && waiting.length === 0 && used <= this.#now) this.#shares.delete(name);
  }
}
