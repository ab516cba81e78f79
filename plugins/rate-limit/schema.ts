import { z } from 'zod';
import { DEFAULT_SUBJECTS } from '../counters/limiter.ts';

const MOST = 10_000_000;
const MOST_A_SECOND = 10_000;

const calls = (period: string, normal: number, most = MOST) =>
  z.int().min(1).max(most).nullable().default(normal).describe(`Calls in any ${period}; null = unlimited.`);

const ownCalls = (most: number) => z.int().min(1).max(most).nullable().optional();

/** Longer windows with a lower limit than a shorter one, which would then have no effect. */
function findSmaller(value: { second?: number | null; minute?: number | null; hour?: number | null }) {
  const given = (['second', 'minute', 'hour'] as const).flatMap((name) =>
    value[name] == null ? [] : [{ name, limit: value[name] }],
  );
  return given.flatMap(({ name, limit }, at) => {
    const shorter = given[at - 1];
    return shorter && limit < shorter.limit ? [{ name, shorter, limit }] : [];
  });
}

export const settings = z
  .strictObject({
    limits: z
      .strictObject({
        second: calls('second', 10, MOST_A_SECOND),
        minute: calls('minute', 400),
        hour: calls('hour', 15_000),
      })
      .prefault({})
      .check(({ value, issues }) => {
        for (const { name, shorter, limit } of findSmaller(value)) {
          const message = `must not be below ${shorter.name} (${shorter.limit}): the shorter limit would never count`;
          issues.push({ code: 'custom', path: [name], message, input: limit });
        }
      })
      .describe('Calls of one management key.'),
    keys: z
      .record(
        z.guid("is no id of a key; 'headwater key list' shows them"),
        z.strictObject({
          second: ownCalls(MOST_A_SECOND),
          minute: ownCalls(MOST),
          hour: ownCalls(MOST),
        }),
      )
      .default({})
      .describe(
        'Other limits for single keys, by their ids: {<id>: {minute: 4000}}; limits that are not named are as above.',
      ),
    shadow: z
      .boolean()
      .default(false)
      .describe('Count, but reject no call: metrics and access log have what would have been rejected.'),
    headers: z
      .boolean()
      .default(false)
      .describe(
        'Answers have RateLimit and RateLimit-Policy (IETF draft 11 of ratelimit-headers) beside Retry-After.',
      ),
    nearPercent: z
      .int()
      .min(1)
      .max(100)
      .default(80)
      .describe(
        'A call that leaves less than the rest of a window is counted as near its limit, in per cent.',
      ),
    subjects: z
      .int()
      .min(1)
      .max(10_000_000)
      .default(DEFAULT_SUBJECTS)
      .describe('Keys that are counted at a time, about 1 KB each; idle ones are removed after an hour.'),
  })
  .check(({ value, issues }) => {
    for (const [key, own] of Object.entries(value.keys)) {
      for (const { name, shorter, limit } of findSmaller({ ...value.limits, ...own })) {
        const message = `must not be below ${shorter.name} (${shorter.limit}): the shorter limit would never count`;
        issues.push({ code: 'custom', path: ['keys', key, name], message, input: limit });
      }
    }
  });
