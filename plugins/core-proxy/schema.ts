import { z } from 'zod';

export const settings = z.strictObject({
  streamBufferBytes: z
    .int()
    .min(0)
    .max(16_777_216)
    .default(65_536)
    .describe('Bytes of a streamed response that are buffered for a slow client.'),
  slowMilliseconds: z
    .int()
    .min(0)
    .max(3_600_000)
    .default(1000)
    .describe(
      'A request that has no answer of core after this time is a line in the log, at level warn, in milliseconds; 0 = none.',
    ),
});
