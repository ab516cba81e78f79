import type { IncomingHttpHeaders } from 'node:http';
import { ReplayWindow } from '../protocol/replay-window.ts';
import { verify } from '../protocol/signature.ts';
import { HEADERS, LARGEST_HEAD, PROTOCOLS } from '../protocol/wire.ts';

/** Difference of the clocks of two machines, and the time of a call on its way. */
const LONGEST_MS = 60_000;

/** Why core refuses a call before it begins it. */
export interface Refusal {
  readonly status: 400 | 401 | 421 | 426;
  readonly message: string;
}

/** Decides whether a call comes from a gateway that knows the secret, and comes for the first time. */
export function authenticator(options: {
  /** Id of this start of core. */
  readonly core: string;
  readonly token: string;
  readonly now: () => Date;
}): (path: string, headers: IncomingHttpHeaders) => Refusal | undefined {
  const calls = new ReplayWindow();
  return (path, headers) => {
    const head = headers[HEADERS.head];
    const signature = headers[HEADERS.signature];
    if (!PROTOCOLS.includes(Number(headers[HEADERS.protocol])))
      return { status: 426, message: versions(headers) };
    if (typeof head !== 'string' || head.length > LARGEST_HEAD) {
      return { status: 400, message: `The call needs '${HEADERS.head}', of at most ${LARGEST_HEAD} bytes.` };
    }
    const call = verify(options.token, typeof signature === 'string' ? signature : undefined, { path, head });
    if (!call)
      return { status: 401, message: 'The call is not signed with the internal token of this core.' };
    if (call.core !== options.core) {
      return {
        status: 421,
        message: 'The call is for another core, or for this one before it was started again.',
      };
    }
    if (Math.abs(options.now().getTime() - call.time) > LONGEST_MS) {
      return {
        status: 401,
        message: 'The call is older than a minute, or the clocks of gateway and core differ.',
      };
    }
    if (calls.accept(call.caller, call.number)) return undefined;
    return { status: 401, message: 'The call was received before.' };
  };
}

function versions(headers: IncomingHttpHeaders): string {
  const sent = headers[HEADERS.protocol] ?? 'none';
  return `The gateway speaks version ${String(sent)} of the internal protocol, this core ${PROTOCOLS.join(' and ')}: update the older of the two.`;
}
