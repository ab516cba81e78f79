/** Those who wait under one name. */
export interface Share<Entry> {
  readonly name: string;
  readonly waiting: Entry[];
  /** Tasks that run now. */
  running: number;
  /** Milliseconds it has had, counted from where the others were when it came. */
  used: number;
}

/**
 * Who is next: the share that has had the least time (start-time fair queueing). A share that was away comes back
 * where the others are by then: it neither saves up time nor pays for what it had while nobody else wanted any.
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

  /** Takes the next entry of those whose shares may run; it is to be begun. */
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

  begin(share: Share<Entry>): void {
    if (share.running === 0) share.used = Math.max(share.used, this.#now);
    share.running++;
    this.#now = Math.max(this.#now, share.used);
  }

  end(share: Share<Entry>, milliseconds: number): void {
    share.running--;
    share.used += milliseconds;
  }

  /** Whether anybody waits whose share is such a one. */
  some(isSuch: (share: Share<Entry>) => boolean): boolean {
    for (const share of this.#shares.values()) if (share.waiting.length > 0 && isSuch(share)) return true;
    return false;
  }

  /** Takes out those that `leaves` says so of. */
  remove(leaves: (entry: Entry) => boolean): void {
    for (const { waiting } of this.#shares.values()) {
      let kept = 0;
      for (const entry of waiting) if (!leaves(entry)) waiting[kept++] = entry;
      this.#length -= waiting.length - kept;
      waiting.length = kept;
    }
  }

  /** Forgets the shares that have nothing to do and are not ahead of the others. */
  sweep(): void {
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
