import { z } from 'zod';

export const settings = z.strictObject({
  streamBufferBytes: z
    .int()
    .min(0)
    .max(16_777_216)
    .default(65_536)
    .describe('How far a streamed answer is read ahead of a slow client, in bytes.'),
});
