import { z } from 'zod';

export const settings = z.strictObject({
  file: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .meta({ path: true, description: 'File the lines are appended to; null = standard output.' }),
  bufferBytes: z
    .int()
    .min(0)
    .max(1_048_576)
    .default(65_536)
    .describe('Lines are written together once they fill this many bytes; 0 = each at once.'),
  flushMilliseconds: z
    .int()
    .min(10)
    .max(60_000)
    .default(1000)
    .describe('Lines are written after this time at the latest, in milliseconds.'),
  skipSurfaces: z
    .array(z.enum(['health', 'metrics', 'docs', 'console']))
    .default(['health', 'metrics'])
    .describe('Surfaces that the log omits unless the answer is a 5xx.'),
});
