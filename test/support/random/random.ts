/** Numbers that look random and come back the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True in `share` of the cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error('Nothing to pick from.');
    return from[this.int(0, from.length - 1)]!;
  }

  /** Up to `most` different members, in any order. */
  some<T>(from: readonly T[], most: number): T[] {
    return this.shuffled(from).slice(0, this.int(0, Math.min(most, from.length)));
  }

  shuffled<T>(from: readonly T[]): T[] {
    const all = [...from];
    for (let at = all.length - 1; at > 0; at -= 1) {
      const other = this.int(0, at);
      [all[at], all[other]] = [all[other]!, all[at]!];
    }
    return all;
  }

  times<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.int(least, most) }, (_, index) => make(index));
  }

  /** A version-4 id. */
  guid(): string {
    const hex = Array.from({ length: 32 }, () => this.int(0, 15).toString(16));
    hex[12] = '4';
    hex[16] = this.pick(['8', '9', 'a', 'b']);
    const text = hex.join('');
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
      '-',
    );
  }
}
