import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** Bytes that one read of a growing file takes at once. */
const CHUNK = 64 * 1024;

/** One transfer into a file, which any number of readers follow while it grows. */
export class Download {
  /** Resolves with the size when the file is complete and has the right hash. */
  readonly done: Promise<number>;
  readonly #file: FileHandle;
  readonly #content: Readable;
  /** All readers have gone before the end, which stops the transfer. */
  isAbandoned = false;
  #written = 0;
  #isComplete = false;
  #readers = 0;
  #wake: (() => void)[] = [];

  private constructor(file: FileHandle, content: Readable, hash: string) {
    this.#file = file;
    this.#content = content;
    this.done = this.#receive(hash);
    // Readers get the error, too.
    this.done.catch(() => {});
  }

  static async start(path: string, content: Readable, hash: string): Promise<Download> {
    return new Download(await open(path, 'wx+'), content, hash);
  }

  /** The content from its start, as far as it is there and as it arrives; undefined once the transfer has ended or stops. */
  read(): Readable | undefined {
    if (this.#isComplete || this.isAbandoned) return undefined;
    this.#readers += 1;
    const readable = Readable.from(this.#follow(), { objectMode: false });
    readable.once('close', () => {
      this.#readers -= 1;
      if (this.#isComplete) this.#closeUnused();
      else if (this.#readers === 0) {
        this.isAbandoned = true;
        this.#content.destroy();
      }
    });
    return readable;
  }

  async *#follow(): AsyncGenerator<Buffer> {
    for (let at = 0; ; ) {
      if (at < this.#written) {
        const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(CHUNK), 0, CHUNK, at);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.#isComplete) {
        // The hash is known to be right before a reader ends.
        await this.done;
        return;
      } else await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  async #receive(expected: string): Promise<number> {
    const hash = createHash('sha256');
    try {
      for await (const chunk of this.#content) {
        hash.update(chunk);
        // `write` may write a part.
        await this.#file.writeFile(chunk);
        this.#written += chunk.length;
        this.#progress();
      }
      if (hash.digest('hex') !== expected) throw new Error(`The stored file ${expected} is damaged.`);
      return this.#written;
    } finally {
      this.#isComplete = true;
      this.#progress();
      this.#closeUnused();
    }
  }

  #closeUnused(): void {
    if (this.#isComplete && this.#readers === 0) this.#file.close().catch(() => {});
  }

  #progress(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
