import { z } from 'zod';

export const settings = z.strictObject({
  leastBytes: z
    .int()
    .min(0)
    .max(1_048_576)
    .default(1024)
    .describe(
      'Smallest response that is compressed, in bytes; those of delivery and preview, and streamed ones, always are.',
    ),
  brotliQuality: z
    .int()
    .min(0)
    .max(11)
    .default(4)
    .describe('Effort for br; above 5 it costs more time than a network saves.'),
  gzipLevel: z.int().min(1).max(9).default(6).describe('Effort for gzip.'),
  flushMilliseconds: z
    .int()
    .min(1)
    .max(60_000)
    .default(50)
    .describe('Pause of a streamed response after which its compressed part is sent, in milliseconds.'),
});
