import got, { type Request } from 'got';
import type { AddressGuard } from './address-guard.ts';
import { attemptError } from './attempt-error.ts';
import type { Connections } from './connections.ts';

/** Bytes of an answer kept for the log. */
const KEPT_BYTES = 2048;
/** Most bytes read of an answer; a longer one is cut off together with its connection. */
const READ = 64 * 1024;

/** The HTTP request, the same in every attempt. */
export interface WebhookRequest {
  readonly url: string;
  /** `content-type`, signatures and the like; host and length are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ReceiverResponse {
  /** The receiver answered 200–299, completely and in time. */
  readonly accepted: boolean;
  /** Null = no answer. */
  readonly status: number | null;
  /** The first 2 kB of the answer. */
  readonly answer: string;
  /** Why the attempt failed, when the status alone does not say it. */
  readonly error: string | null;
}

export interface SendOptions {
  readonly guard: AddressGuard;
  readonly connections: Connections;
  /** Limit for name resolution, connection and complete answer, ms. */
  readonly timeout: number;
}

/** @param mayBegin is called when the address is known, before the connection is made */
export type Send = (
  request: WebhookRequest,
  signal?: AbortSignal,
  mayBegin?: () => boolean,
) => Promise<ReceiverResponse>;

// Switches off everything that got decides by itself: one call sends one request to one target.
const client = got.extend({
  method: 'POST',
  isStream: true,
  retry: { limit: 0 },
  followRedirect: false,
  throwHttpErrors: false,
  decompress: false,
});

/** `Connections` has the options of the request; got would make some forty for it, a quarter of the CPU of a send. */
const WITHOUT_OPTIONS = { createNativeRequestOptions: () => ({}) };

/**
 * Sends one attempt; never rejects. An abort through `signal` leaves the result unknown.
 *
 * A send costs 168 µs of CPU; with the options that got makes 227, in the same loop on a busy machine. Streams avoid the
 * work of got's promise (`npm run bench -- webhooks --only throughput`).
 */
export function createSend({ guard, connections, timeout }: SendOptions): Send {
  return (request, signal, mayBegin) =>
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
        // The database would cut text at a null byte.
        const answer = Buffer.concat(chunks).subarray(0, KEPT_BYTES).toString().replaceAll('\0', '\ufffd');
        resolve({
          accepted: error === null && status !== null && status >= 200 && status < 300,
          status,
          answer,
          error,
        });
      };
      const abandon = (status: number | null, error: string | null) => {
        finish(status, error);
        stream?.destroy();
      };
      const statusOf = () => stream?.response?.statusCode ?? null;
      const timer = setTimeout(
        () => abandon(statusOf(), `There was no complete answer within ${timeout / 1000} s.`),
        timeout,
      );
      const aborted = () => abandon(null, 'The service stopped.');
      // An aborted signal fires no event.
      if (signal?.aborted) return aborted();
      signal?.addEventListener('abort', aborted, { once: true });

      const begin = async () => {
        const url = new URL(request.url);
        const addresses = await guard.pin(url);
        if (over) return;
        if (mayBegin?.() === false) return finish(null, 'The attempt was not begun.');
        const headers = { ...request.headers, 'content-length': String(request.body.byteLength) };
        stream = client(url, {
          isStream: true,
          body: request.body,
          request: () => connections.request(url, addresses, headers),
        });
        // An aborted connection may still fail after the end.
        stream.on('error', (error) => finish(statusOf(), attemptError(error)));
        stream.on('data', (chunk: Buffer) => {
          if (received < KEPT_BYTES) chunks.push(chunk);
          received += chunk.length;
          if (received > READ) abandon(statusOf(), redirected(statusOf()));
        });
        stream.on('end', () => finish(statusOf(), redirected(statusOf())));
        stream.on('upgrade', () => abandon(101, 'The receiver switched to another protocol.'));
        // In time: got makes its request in a later turn.
        Object.assign(stream.options, WITHOUT_OPTIONS);
      };
      begin().catch((error: unknown) => finish(null, attemptError(error)));
    });
}

function redirected(status: number | null): string | null {
  return status !== null && status >= 300 && status < 400 ? 'Redirects are not followed.' : null;
}
