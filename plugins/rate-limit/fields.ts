import { type Verdict, WINDOW_MS } from '../counters/limiter.ts';

/**
 * `RateLimit-Policy` with all windows and `RateLimit` with the one with the fewest remaining calls, as
 * draft-ietf-httpapi-ratelimit-headers-11 writes them (structured fields, RFC 9651).
 */
export function rateLimitFields({ admitted, waitMilliseconds, windows }: Verdict): [string, string][] {
  const [tightest] = windows.toSorted((a, b) => a.remaining - b.remaining || b.limit - a.limit);
  if (tightest === undefined) return [];
  const policies = windows.map(({ name, limit }) => `"${name}";q=${limit};w=${WINDOW_MS[name] / 1000}`);
  // Clients prefer Retry-After, so both have the same value.
  const milliseconds = admitted ? tightest.resetMilliseconds : waitMilliseconds;
  const seconds = Math.max(admitted ? 0 : 1, Math.ceil(milliseconds / 1000));
  return [
    ['RateLimit-Policy', policies.join(', ')],
    ['RateLimit', `"${tightest.name}";r=${tightest.remaining};t=${seconds}`],
  ];
}
