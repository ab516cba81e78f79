import { z } from 'zod';
import { ATTEMPT_DEFAULTS } from '../counters/failed-attempts.ts';

export const settings = z.strictObject({
  rememberEntries: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe('Keys that are cached, each until the change feed reports a change of it.'),
  rememberUnknown: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .describe('Tokens that are no key and cached as such until a key is created; they displace no key.'),
  failures: z
    .strictObject({
      perMinute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(ATTEMPT_DEFAULTS.perMinute)
        .describe(
          'Wrong keys and admin tokens in a minute, on all surfaces together, by which an address (IPv6: one /64 network) is blocked. 0 = it never is.',
        ),
      blockSeconds: z
        .int()
        .min(1)
        .max(86_400)
        .default(ATTEMPT_DEFAULTS.blockSeconds)
        .describe(
          'How long an address is blocked, in seconds: the admin token is answered 429 with Retry-After, right or wrong, and so are unknown keys; right keys of projects pass. The command unblock ends it.',
        ),
      loopback: z
        .boolean()
        .default(ATTEMPT_DEFAULTS.loopback)
        .describe('Count and block clients on this machine too.'),
      addresses: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(ATTEMPT_DEFAULTS.addresses)
        .describe(
          'Addresses that are counted at a time, and as many that are blocked; the one that failed longest ago is removed first.',
        ),
    })
    .prefault({})
    .describe('What is done about guessing.'),
});
