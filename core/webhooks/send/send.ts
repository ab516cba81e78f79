import got, { type Request } from 'got';
import type { AddressGuard } from './address-guard.ts';
import { attemptError } from './attempt-error.ts';
import type { Connections } from './connections.ts';

/** Of an answer, kept for the log, bytes. */
const KEPT = 2048;
/** Of an answer, read at most: what is longer is cut off together with its connection. */
const READ = 64 * 1024;

/** What goes over the wire, the same in every attempt. */
export interface Parcel {
  readonly url: string;
  /** `content-type`, signatures and the like; host and length are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Answer {
  /** The receiver has it: it answered 200–299, completely and in time. */
  readonly taken: boolean;
  /** Null when there was no answer. */
  readonly status: number | null;
  /** The first 2 kB of what came back. */
  readonly answer: string;
  /** A sentence for the log when the status alone does not say what went wrong. */
  readonly error: string | null;
}

export interface SendOptions {
  readonly guard: AddressGuard;
  readonly connections: Connections;
  /** For everything from the name of the host to the last byte of the answer, ms. */
  readonly timeout: number;
}

export type Send = (parcel: Parcel, signal?: AbortSignal) => Promise<Answer>;

// Everything of got that decides by itself is off: a notification is sent once a call, to one place.
const client = got.extend({
  method: 'POST',
  isStream: true,
  retry: { limit: 0 },
  followRedirect: false,
  throwHttpErrors: false,
  decompress: false,
});

/**
 * Sends one attempt; never rejects. `signal` breaks it off: then nothing is known of it.
 *
 * A bare `got.post` costs 190 µs of CPU here, this 140: streams spare the promise's work, and the connection is
 * made from ready options (`npm run bench -- webhooks --only throughput`).
 */
export function createSend({ guard, connections, timeout }: SendOptions): Send {
  return (parcel, signal) =>
    new Promise((resolve) => {
      let stream: Request | undefined;
      let over = false;
      const chunks: Buffer[] = [];
      let received = 0;

      const finish = (status: number | null, error: string | null) => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', aborted);
        // Where text ends at a null byte, what is behind it would be lost.
        const answer = Buffer.concat(chunks).subarray(0, KEPT).toString().replaceAll('\0', '\ufffd');
        resolve({
          taken: error === null && status !== null && status >= 200 && status < 300,
          status,
          answer,
          error,
        });
      };
      const breakOff = (status: number | null, error: string | null) => {
        finish(status, error);
        stream?.destroy();
      };
      const statusOf = () => stream?.response?.statusCode ?? null;
      const timer = setTimeout(
        () => breakOff(statusOf(), `There was no complete answer within ${timeout / 1000} s.`),
        timeout,
      );
      const aborted = () => breakOff(null, 'The service stopped.');
      // One that is aborted already tells nobody.
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted, { once: true });

      const begin = async () => {
        const url = new URL(parcel.url);
        const addresses = await guard.pin(url);
        if (over) return;
        const headers = { ...parcel.headers, 'content-length': String(parcel.body.byteLength) };
        stream = client(url, {
          isStream: true,
          body: parcel.body,
          request: () => connections.request(url, addresses, headers),
        });
        // Also after the end: a connection that is cut may still fail.
        stream.on('error', (error) => finish(statusOf(), attemptError(error)));
        stream.on('data', (chunk: Buffer) => {
          if (received < KEPT) chunks.push(chunk);
          received += chunk.length;
          if (received > READ) breakOff(statusOf(), redirected(statusOf()));
        });
        stream.on('end', () => finish(statusOf(), redirected(statusOf())));
        stream.on('upgrade', () => breakOff(101, 'The receiver switched to another protocol.'));
      };
      begin().catch((error: unknown) => finish(null, attemptError(error)));
    });
}

function redirected(status: number | null): string | null {
  return status !== null && status >= 300 && status < 400 ? 'Redirects are not followed.' : null;
}
