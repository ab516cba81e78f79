/** Numbers from 0, where number n is drawn in proportion to 1 ÷ (n + 1). */
export class Zipf {
  readonly #sums: Float64Array;
  readonly #random: () => number;

  constructor(count: number, random: () => number) {
    this.#sums = new Float64Array(count);
    let sum = 0;
    for (let n = 0; n < count; n += 1) {
      sum += 1 / (n + 1);
      this.#sums[n] = sum;
    }
    this.#random = random;
  }

  draw(): number {
    const wanted = this.#random() * this.#sums.at(-1)!;
    let low = 0;
    let high = this.#sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The same sequence for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}
