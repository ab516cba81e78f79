import type { Dispatcher } from 'undici';

/** Bytes that are held for a reader before core has to wait. */
const AHEAD_BYTES = 65_536;

/** The body of an answer, as it arrives: read whole, or once as a stream with back-pressure. */
export class ReplyBody implements AsyncIterableIterator<Uint8Array> {
  readonly #controller: Dispatcher.DispatchController;
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isReadWhole: boolean;
  #hasEnded = false;
  #failure: Error | undefined;
  #arrived: (() => void) | undefined;

  /** @param isReadWhole it is not paused before `whole` is called */
  constructor(controller: Dispatcher.DispatchController, isReadWhole: boolean) {
    this.#controller = controller;
    this.#isReadWhole = isReadWhole;
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#isReadWhole) return;
    if (this.#bytes >= AHEAD_BYTES) this.#controller.pause();
    this.#arrived?.();
  }

  /** @param failure the connection's, where the body is not complete */
  end(failure?: Error): void {
    this.#hasEnded = true;
    this.#failure = failure;
    this.#arrived?.();
  }

  /** @throws what broke the body off */
  async whole(): Promise<readonly Uint8Array[]> {
    this.#isReadWhole = true;
    if (!this.#hasEnded) {
      this.#controller.resume();
      await this.#nextArrival();
    }
    if (this.#failure) throw this.#failure;
    return this.#pieces;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#pieces.length === 0) {
      if (this.#failure) throw this.#failure;
      if (this.#hasEnded) return { done: true, value: undefined };
      await this.#nextArrival();
    }
    const value = this.#pieces.shift()!;
    this.#bytes -= value.length;
    if (this.#pieces.length === 0) this.#controller.resume();
    return { done: false, value };
  }

  /** Ends the call, also before the first read. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#pieces = [];
    if (!this.#hasEnded) this.#controller.abort(new Error('The answer is not read to its end.'));
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #nextArrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#arrived = () => {
        this.#arrived = undefined;
        resolve();
      };
    });
  }
}
