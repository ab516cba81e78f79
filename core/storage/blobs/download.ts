import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** Bytes that one read of a growing file takes at once. */
const CHUNK = 64 * 1024;

/** One transfer into a file, which any number of readers follow while it grows. */
export class Download {
  /** Resolves when the file is complete and has the right hash. */
  readonly done: Promise<void>;
  readonly #file: FileHandle;
  readonly #cancel: () => void;
  /** All readers have gone before the end, which stops the transfer. */
  isAbandoned = false;
  /** Bytes that readers may have: the last chunk only when the hash is known to be right. */
  #readable = 0;
  #isComplete = false;
  #readers = 0;
  #wake: (() => void)[] = [];

  private constructor(file: FileHandle, content: AsyncIterable<Buffer>, cancel: () => void, hash: string) {
    this.#file = file;
    this.#cancel = cancel;
    this.done = this.#receive(content, hash);
    // Readers get the error, too.
    this.done.catch(() => {});
  }

  static async start(
    path: string,
    { content, cancel }: { readonly content: AsyncIterable<Buffer>; readonly cancel: () => void },
    hash: string,
  ): Promise<Download> {
    const file = await open(path, 'wx+').catch((error: unknown) => {
      cancel();
      throw error;
    });
    return new Download(file, content, cancel, hash);
  }

  /** Counts a reader. @returns ends that; undefined once the transfer has ended or stops */
  join(): (() => void) | undefined {
    if (this.#isComplete || this.isAbandoned) return undefined;
    this.#readers += 1;
    return () => {
      this.#readers -= 1;
      if (this.#isComplete) this.#closeUnused();
      else if (this.#readers === 0) {
        this.isAbandoned = true;
        this.#cancel();
      }
    };
  }

  /** The content from its start, as far as it is there and as it arrives, for a reader that has joined. */
  async *follow(): AsyncGenerator<Buffer> {
    for (let at = 0; ; ) {
      if (at < this.#readable) {
        const length = Math.min(CHUNK, this.#readable - at);
        const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, at);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.#isComplete) return await this.done;
      else await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  async #receive(content: AsyncIterable<Buffer>, expected: string): Promise<void> {
    const hash = createHash('sha256');
    let written = 0;
    try {
      for await (const chunk of content) {
        this.#readable = written;
        this.#progress();
        hash.update(chunk);
        // `write` may write a part.
        await this.#file.writeFile(chunk);
        written += chunk.length;
      }
      if (hash.digest('hex') !== expected) throw damaged(expected);
      this.#readable = written;
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

export function damaged(hash: string): Error {
  return new Error(`The stored file ${hash} is damaged.`);
}
