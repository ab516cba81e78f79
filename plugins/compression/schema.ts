import { z } from 'zod';

export const settings = z.strictObject({
  leastBytes: z
    .int()
    .min(0)
    .max(1_048_576)
    .default(1024)
    .describe('Answers whose length is known are compressed from so many bytes on; streamed ones always.'),
  brotliQuality: z
    .int()
    .min(0)
    .max(11)
    .default(4)
    .describe('Effort for br; above 5 it takes more time than a network saves.'),
  gzipLevel: z.int().min(1).max(9).default(6).describe('Effort for gzip.'),
  flushMilliseconds: z
    .int()
    .min(1)
    .max(60_000)
    .default(50)
    .describe(
      'What has been compressed of a streamed answer is sent when nothing has come for so long, in milliseconds.',
    ),
});
