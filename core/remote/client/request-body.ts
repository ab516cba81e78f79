/** Sent bytes that are kept for another core. */
const KEPT_BYTES = 65_536;

/**
 * The body of a request on its way to core. A core may refuse a call after it received some of the body; the next core
 * gets the same from the start, as long as it was short.
 */
export class RequestBody implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  /** Pieces that were read and are no longer kept. */
  #dropped = 0;
  #hasEnded = false;
  #reading: Promise<void> | undefined;
  /** Why the body is not complete; the gateway's own error where it found something wrong with it. */
  failure: { readonly error: unknown } | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Whether the body can be sent from its start. */
  get isWhole(): boolean {
    return this.#dropped === 0;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    for (let at = 0; ; at++) {
      if (at - this.#dropped >= this.#kept.length && !this.#hasEnded) {
        this.#reading ??= this.#read();
        await this.#reading;
      }
      if (this.failure) throw this.failure.error;
      const piece = this.#kept[at - this.#dropped];
      if (piece === undefined) return;
      const isNewest = at - this.#dropped === this.#kept.length - 1;
      if (isNewest && this.#keptBytes > KEPT_BYTES) this.#drop();
      yield piece;
    }
  }

  /** The rest is not read: the call is over. */
  end(): void {
    if (this.#hasEnded) return;
    this.#drop();
    this.#hasEnded = true;
    this.failure ??= { error: new Error('The call is over.') };
    this.#source.return?.().catch(() => {});
  }

  async #read(): Promise<void> {
    try {
      const { done, value } = await this.#source.next();
      if (done) this.#hasEnded = true;
      else {
        this.#kept.push(value);
        this.#keptBytes += value.length;
      }
    } catch (error) {
      this.#hasEnded = true;
      this.failure = { error };
      throw error;
    } finally {
      this.#reading = undefined;
    }
  }

  #drop(): void {
    this.#dropped += this.#kept.length;
    this.#kept = [];
    this.#keptBytes = 0;
  }
}
