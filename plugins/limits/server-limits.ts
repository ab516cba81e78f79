import type { z } from 'zod';
import type { settings } from './schema.ts';

/** What the listeners enforce before a request exists; times in milliseconds. */
export interface ServerLimits {
  /** Request line and headers together: above both limits of the plugin, so that it can tell which was broken. */
  readonly maxHeaderSize: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
}

export function serverLimits(limits: z.output<typeof settings>): ServerLimits {
  return {
    maxHeaderSize: 2 * (limits.urlBytes + limits.headerBytes),
    headersTimeout: limits.headersSeconds * 1000,
    requestTimeout: Math.max(limits.requestSeconds, limits.headersSeconds) * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
  };
}
