import type { IncomingHttpHeaders } from 'node:http';
import { ReplayWindow } from '../protocol/replay-window.ts';
import { verify } from '../protocol/signature.ts';
import { HEADERS, LARGEST_HEAD } from '../protocol/wire.ts';
import { Refusal } from './refusal.ts';

/** Difference of the clocks of two machines, and the time of a call on its way. */
const LONGEST_MS = 60_000;

export interface AuthenticatorOptions {
  /** Id of this start of core. */
  readonly core: string;
  readonly token: string;
  readonly protocols: readonly number[];
  readonly now: () => Date;
}

/** @returns a function that throws a Refusal, unless a gateway that knows the secret calls, and for the first time */
export function authenticator({
  core,
  token,
  protocols,
  now,
}: AuthenticatorOptions): (path: string, headers: IncomingHttpHeaders) => void {
  const calls = new ReplayWindow(2 * LONGEST_MS);
  return (path, headers) => {
    const head = headers[HEADERS.head];
    const signature = headers[HEADERS.signature];
    const version = headers[HEADERS.protocol];
    if (!protocols.includes(Number(version))) {
      const sent = Number.isInteger(Number(version)) ? `version ${Number(version)}` : 'no version';
      throw new Refusal(
        426,
        `The gateway speaks ${sent} of the internal protocol, this core ${protocols.join(' and ')}: update the older of the two.`,
      );
    }
    if (typeof head !== 'string' || head.length > LARGEST_HEAD) {
      throw new Refusal(400, `The call needs '${HEADERS.head}', of at most ${LARGEST_HEAD} bytes.`);
    }
    const call = verify(token, typeof signature === 'string' ? signature : undefined, { path, head });
    if (!call) throw new Refusal(401, 'The call is not signed with the internalToken of this core.');
    if (call.core !== core) {
      throw new Refusal(421, 'The call is for another core, or for this one before it was started again.');
    }
    if (Math.abs(now().getTime() - call.time) > LONGEST_MS) {
      throw new Refusal(401, 'The call is older than a minute, or the clocks of gateway and core differ.');
    }
    if (!calls.accept(call.caller, call.number, performance.now()))
      throw new Refusal(401, 'The call was received before.');
  };
}
