import type { Duplex } from 'node:stream';
import type { Message } from './messages.ts';

/** Bytes before each message: the lengths of its JSON and of the bytes behind it, unsigned, big endian. */
const PREFIX_BYTES = 8;

export interface MessageSizes {
  readonly json: number;
  readonly bytes: number;
}

/** Limits until the other end is authenticated: enough for a greeting. */
const UNAUTHENTICATED_LIMITS: MessageSizes = { json: 4096, bytes: 0 };
/** For a file of 100 MB (the largest upload by default) and for a batch of notifications. */
export const AUTHENTICATED_LIMITS: MessageSizes = { json: 64 * 2 ** 20, bytes: 512 * 2 ** 20 };

/** Messages over a stream, in both directions. Invalid data ends the connection. */
export class Channel {
  readonly #socket: Duplex;
  /** Larger messages are refused unread. */
  limits: MessageSizes = UNAUTHENTICATED_LIMITS;
  #sizes: MessageSizes | undefined;
  #parts: Buffer[] = [];
  #length = 0;
  #onMessage: (message: Message, bytes: Uint8Array) => void = () => {};

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  onMessage(listener: (message: Message, bytes: Uint8Array) => void): void {
    this.#onMessage = listener;
  }

  /** Called once when the connection ends, for any reason. */
  onClose(listener: (reason: string) => void): void {
    let notified = false;
    const notify = (reason: string) => {
      if (notified) return;
      notified = true;
      this.#socket.destroy();
      listener(reason);
    };
    this.#socket.on('end', () => notify('the other end closed the connection'));
    this.#socket.on('error', (error) => notify(error.message));
    this.#socket.on('close', () => notify('the connection is closed'));
  }

  /** Does not copy the bytes: they must not change until they are written. */
  send(message: Message, bytes: readonly Uint8Array[] = []): void {
    if (this.#socket.destroyed) return;
    const json = Buffer.from(JSON.stringify(message));
    const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
    prefix.writeUInt32BE(json.length, 0);
    prefix.writeUInt32BE(
      bytes.reduce((sum, part) => sum + part.byteLength, 0),
      4,
    );
    // One system call for all parts.
    this.#socket.cork();
    for (const part of [prefix, json, ...bytes]) this.#socket.write(part);
    this.#socket.uncork();
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    try {
      while (this.#next()) {
        // Handles every complete message.
      }
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  /** @returns true after a complete message */
  #next(): boolean {
    if (this.#sizes === undefined) {
      if (this.#length < PREFIX_BYTES) return false;
      const prefix = this.#cut(PREFIX_BYTES);
      const sizes = { json: prefix.readUInt32BE(0), bytes: prefix.readUInt32BE(4) };
      if (sizes.json > this.limits.json || sizes.bytes > this.limits.bytes) {
        throw new Error('A message is larger than it may be.');
      }
      this.#sizes = sizes;
    }
    const { json, bytes } = this.#sizes;
    if (this.#length < json + bytes) return false;
    this.#sizes = undefined;
    const message = JSON.parse(this.#cut(json).toString()) as Message;
    this.#onMessage(message, this.#cut(bytes, true));
    return !this.#socket.destroyed;
  }

  /**
   * Takes the next `length` bytes in one piece.
   *
   * @param kept allocates memory of its own: a small result that the caller keeps must not hold a whole chunk
   */
  #cut(length: number, kept = false): Buffer {
    const first = this.#parts[0];
    this.#length -= length;
    if (!kept && first !== undefined && first.length >= length) {
      if (first.length === length) this.#parts.shift();
      else this.#parts[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    const whole = Buffer.allocUnsafeSlow(length);
    let filled = 0;
    while (filled < length) {
      const part = this.#parts[0];
      if (part === undefined) throw new Error('A message is shorter than its prefix states.');
      const taken = part.copy(whole, filled, 0, length - filled);
      filled += taken;
      if (taken === part.length) this.#parts.shift();
      else this.#parts[0] = part.subarray(taken);
    }
    return whole;
  }
}
