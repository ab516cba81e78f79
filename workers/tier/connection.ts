import { ENCODER_VERSION } from '../images/encoder-version.ts';
import { type Channel, KNOWN } from '../protocol/channel.ts';
import {
  type Failure,
  type Greeting,
  type Message,
  PROTOCOL,
  type Request,
  type Result,
} from '../protocol/messages.ts';

const LONGEST_GREETING_MS = 10_000;

/** A greeted end that does work: one of our own processes, or a worker on another machine. */
export interface Connection {
  /** Tasks it does at once. */
  readonly slots: number;
  /** Process id; null on another machine. */
  readonly pid: number | null;
  /** It cannot read our files. */
  readonly isRemote: boolean;
  send(request: Request, bytes: readonly Uint8Array[]): void;
  onAnswer(listener: (answer: Result | Failure, bytes: Uint8Array) => void): void;
  /** Once, also when it was ended from here. */
  onGone(listener: (reason: string) => void): void;
  /** Ends it at once, whatever it does. */
  end(): void;
}

/**
 * Waits for the greeting, checks that both ends are the same version, and introduces us.
 *
 * @throws Error with the reason in one sentence
 */
export function greet(channel: Channel, prove: (nonce: string) => string): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('it did not greet in time'), LONGEST_GREETING_MS);
    let greeting: Greeting | undefined;
    function fail(reason: string): void {
      clearTimeout(timer);
      channel.close();
      reject(new Error(reason));
    }
    channel.onClose(fail);
    channel.onMessage((message: Message) => {
      if (message.kind === 'greeting' && greeting === undefined) {
        const objection = objectionTo(message);
        if (objection !== undefined) return fail(objection);
        greeting = message;
        channel.send({ kind: 'introduction', proof: prove(message.nonce) });
      } else if (message.kind === 'welcome' && greeting !== undefined) {
        clearTimeout(timer);
        channel.limits = KNOWN;
        resolve(greeting);
      } else fail('it does not speak the protocol of workers');
    });
  });
}

function objectionTo({ protocol, encoder, slots }: Greeting): string | undefined {
  if (protocol !== PROTOCOL) return `it speaks version ${protocol} of the protocol, not ${PROTOCOL}`;
  if (encoder !== ENCODER_VERSION) {
    return `it makes pictures with ${encoder}, and this process with ${ENCODER_VERSION}: one URL would have two answers`;
  }
  return Number.isInteger(slots) && slots > 0 ? undefined : 'it has no room for any task';
}
