import { Readable } from 'node:stream';

/** A body in memory that is sent in the pieces it was made of: to copy 30 MB takes 50 ms. */
export class Pieces extends Readable {
  readonly all: readonly Uint8Array[];
  readonly length: number;
  #next = 0;

  constructor(all: readonly Uint8Array[], length: number) {
    // An empty piece would stall a stream of bytes.
    super({ objectMode: true });
    this.all = all;
    this.length = length;
  }

  override _read(): void {
    const piece = this.all[this.#next];
    this.#next += 1;
    this.push(piece ?? null);
  }
}
