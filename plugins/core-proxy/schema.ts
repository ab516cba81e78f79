import { z } from 'zod';

export const settings = z.strictObject({
  streamBufferBytes: z
    .int()
    .min(0)
    .max(16_777_216)
    .default(65_536)
    .describe('Bytes of a streamed response that are buffered for a slow client.'),
});
