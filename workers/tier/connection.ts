import { ENCODER_VERSION } from '../images/encoder-version.ts';
import { AUTHENTICATED_LIMITS, type Channel } from '../protocol/channel.ts';
import {
  type Failure,
  type Greeting,
  type Message,
  PROTOCOL,
  type Request,
  type Result,
} from '../protocol/messages.ts';

const HANDSHAKE_TIMEOUT_MS = 10_000;

/** A connected worker: a local process, or a worker on another machine. */
export interface Connection {
  /** Tasks it runs at a time. */
  readonly concurrency: number;
  /** Process id; null on another machine. */
  readonly pid: number | null;
  /** The worker cannot read local files. */
  readonly isRemote: boolean;
  send(request: Request, bytes: readonly Uint8Array[]): void;
  onAnswer(listener: (answer: Result | Failure, bytes: Uint8Array) => void): void;
  /** Called once when the connection ends, also after `end`. */
  onClose(listener: (reason: string) => void): void;
  /** Ends the worker at once, with everything it runs. */
  end(): void;
}

/**
 * Waits for the greeting, checks that both ends have the same version, and authenticates.
 *
 * @returns what local and remote workers have in common
 * @throws Error with the reason in one sentence
 */
export function handshake(
  channel: Channel,
  prove: (nonce: string) => string,
): Promise<Pick<Connection, 'concurrency' | 'send' | 'onAnswer'>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('it sent no greeting in time'), HANDSHAKE_TIMEOUT_MS);
    let greeting: Greeting | undefined;
    function fail(reason: string): void {
      clearTimeout(timer);
      channel.close();
      reject(new Error(reason));
    }
    channel.onClose(fail);
    channel.onMessage((message: Message) => {
      if (message.kind === 'greeting' && greeting === undefined) {
        const incompatibility = incompatibilityOf(message);
        if (incompatibility !== undefined) return fail(incompatibility);
        greeting = message;
        channel.send({ kind: 'introduction', proof: prove(message.nonce) });
      } else if (message.kind === 'welcome' && greeting !== undefined) {
        clearTimeout(timer);
        channel.limits = AUTHENTICATED_LIMITS;
        resolve({
          concurrency: greeting.slots,
          send: (request, bytes) => channel.send(request, bytes),
          onAnswer: (listener) =>
            channel.onMessage((answer, bytes) => {
              if (answer.kind === 'result' || answer.kind === 'failure') listener(answer, bytes);
            }),
        });
      } else fail('it does not follow the worker protocol');
    });
  });
}

function incompatibilityOf({ protocol, encoder, slots }: Greeting): string | undefined {
  if (protocol !== PROTOCOL) return `it has version ${protocol} of the protocol, not ${PROTOCOL}`;
  if (encoder !== ENCODER_VERSION) {
    return `it makes images with ${encoder}, and this process with ${ENCODER_VERSION}: one URL would have two answers`;
  }
  return Number.isInteger(slots) && slots > 0 ? undefined : 'it accepts no task';
}
