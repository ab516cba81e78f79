import { z } from 'zod';

export const settings = z.strictObject({
  rememberEntries: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe('Keys that are remembered, each until the change feed tells of a change of it.'),
  rememberUnknown: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .describe('Tokens that are no key and remembered as such until a key is made; they displace no key.'),
  failures: z
    .strictObject({
      perMinute: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(60)
        .describe(
          'Requests with a wrong key or admin token that one address (IPv6: one /64 network) may send in a minute; further ones are answered 429 with Retry-After. Right keys pass all the same. 0 = any number.',
        ),
      loopback: z.boolean().default(false).describe('Count those of clients on this machine too.'),
      addresses: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(10_000)
        .describe(
          'Addresses that are counted at a time; the one that failed longest ago is forgotten first.',
        ),
    })
    .prefault({})
    .describe('What is done about guessing.'),
});
