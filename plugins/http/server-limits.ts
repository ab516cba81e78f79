import { z } from 'zod';

/** Settings of the plugin `limits`; the listeners enforce some of them before a plugin sees the request. */
export const limitSettings = z.strictObject({
  urlBytes: z
    .int()
    .min(2048)
    .max(1_048_576)
    .default(65_536)
    .describe('Longest URL, in bytes; the APIs document 2048, but clients send up to 65,519.'),
  headerBytes: z
    .int()
    .min(4096)
    .max(1_048_576)
    .default(32_768)
    .describe('All header lines of a request together, in bytes.'),
  headerCount: z.int().min(16).max(2000).default(100).describe('Header lines of a request.'),
  bodyBytes: z
    .int()
    .min(0)
    .max(17_179_869_184)
    .default(104_857_600)
    .describe('Body of a request, uploads of files included, in bytes.'),
  headersSeconds: z
    .number()
    .min(1)
    .max(600)
    .default(15)
    .describe('Time within which a client must send its headers, in seconds.'),
  requestSeconds: z
    .number()
    .min(1)
    .max(86_400)
    .default(300)
    .describe(
      'Time within which it must send the whole request, body included, in seconds; also the timeout of a stalled connection.',
    ),
  keepAliveSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(75)
    .describe(
      'Time for which an idle connection stays open, in seconds; longer than that of a proxy in front. 0 = it is closed after a response.',
    ),
  connections: z
    .int()
    .min(10)
    .max(1_000_000)
    .default(10_000)
    .describe(
      'Most open connections of each listener, in each gateway process; further ones are closed at once.',
    ),
  http2: z
    .strictObject({
      streams: z
        .int()
        .min(1)
        .max(10_000)
        .default(100)
        .describe('Most concurrent requests of one HTTP/2 connection (RFC 9113 section 6.5.2).'),
      unreadBytes: z
        .int()
        .min(65_536)
        .max(1_073_741_824)
        .default(4_194_304)
        .describe('Bytes of unread responses of one HTTP/2 connection above which its next requests wait.'),
    })
    .prefault({})
    .describe('HTTP/2 connections.'),
});

/** What the listeners enforce before a request exists; times in milliseconds. */
export interface ServerLimits {
  /** Request line and headers together: above both limits of the plugin, so that it can name the one that was exceeded. */
  readonly maxHeaderSize: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  /** Open at a time. */
  readonly connections: number;
  readonly http2: {
    readonly streams: number;
    readonly unreadBytes: number;
    /** A stream on which nothing moves for so long is closed. */
    readonly stallMilliseconds: number;
    /** A session without a stream is closed after this time. */
    readonly idleMilliseconds: number;
  };
}

export function serverLimits(limits: z.output<typeof limitSettings>): ServerLimits {
  const requestTimeout = limits.requestSeconds * 1000;
  const keepAliveTimeout = limits.keepAliveSeconds * 1000;
  return {
    maxHeaderSize: 2 * (limits.urlBytes + limits.headerBytes),
    headersTimeout: Math.min(limits.headersSeconds * 1000, requestTimeout),
    requestTimeout,
    keepAliveTimeout,
    connections: limits.connections,
    http2: { ...limits.http2, stallMilliseconds: requestTimeout, idleMilliseconds: keepAliveTimeout },
  };
}
