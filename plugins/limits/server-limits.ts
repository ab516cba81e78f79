import type { z } from 'zod';
import type { settings } from './schema.ts';

/** What the listeners enforce before a request exists; times in milliseconds. */
export interface ServerLimits {
  /** Request line and headers together: above both limits of the plugin, so that it can tell which was broken. */
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
  };
}

export function serverLimits(limits: z.output<typeof settings>): ServerLimits {
  const requestTimeout = Math.max(limits.requestSeconds, limits.headersSeconds) * 1000;
  return {
    maxHeaderSize: 2 * (limits.urlBytes + limits.headerBytes),
    headersTimeout: limits.headersSeconds * 1000,
    requestTimeout,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    connections: limits.connections,
    http2: { ...limits.http2, stallMilliseconds: requestTimeout },
  };
}
