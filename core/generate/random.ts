const WORDS =
  'river valley bridge harbour lantern meadow granite willow current summit orchard ferry station archive market workshop signal journey morning evening winter harvest village council measure pattern letter garden library printer engine weather compass shelter kitchen gallery students visitors neighbours records voices routes stories repairs openings lessons carries follows gathers opens keeps builds remembers crosses answers teaches early slow bright narrow quiet common distant careful shared wooden northern second open'.split(
    ' ',
  );

/** Seeded random numbers (mulberry32, public domain by T. Ettinger) and text. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer n, 0 ≤ n < limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * limit);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  words(count: number): string {
    let text = this.pick(WORDS);
    for (let index = 1; index < count; index++) text += ` ${this.pick(WORDS)}`;
    return text;
  }

  sentence(count: number): string {
    const text = this.words(count);
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  }

  paragraph(sentences: number): string {
    return Array.from({ length: sentences }, () => this.sentence(7 + this.below(8))).join(' ');
  }
}
