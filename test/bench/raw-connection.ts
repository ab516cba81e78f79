import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

export interface RawAnswer {
  readonly status: number;
  /** Of the body. */
  readonly bytes: number;
}

/** One answer, counted to its end. */
class Answer {
  #head: Buffer = Buffer.alloc(0);
  #left = -1;
  bytes = 0;
  status = 0;

  /** @returns true when the answer is complete */
  take(chunk: Buffer): boolean {
    if (this.#left >= 0) {
      this.#left -= chunk.length;
    } else {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return false;
      const head = this.#head.toString('latin1', 0, end);
      this.status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: (\d+)/i.exec(head);
      if (!length) throw new Error(`An answer without content-length: ${head}`);
      this.bytes = Number(length[1]);
      this.#left = this.bytes - (this.#head.length - end - HEAD_END.length);
    }
    if (this.#left < 0) throw new Error('An answer is longer than its content-length.');
    return this.#left === 0;
  }
}

/** A kept connection that writes ready bytes and reads no more of an answer than its status and length. */
export class RawConnection {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new RawConnection(socket)));
    });
  }

  send(request: Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const answer = new Answer();
      const socket = this.#socket;
      const settle = (then: () => void) => {
        socket.removeAllListeners('data').removeAllListeners('error').removeAllListeners('close');
        then();
      };
      socket.on('data', (chunk) => {
        try {
          if (answer.take(chunk)) settle(() => resolve(answer));
        } catch (error) {
          settle(() => reject(error as Error));
        }
      });
      socket.once('error', (error) => settle(() => reject(error)));
      socket.once('close', () => settle(() => reject(new Error('The server closed the connection.'))));
      socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
