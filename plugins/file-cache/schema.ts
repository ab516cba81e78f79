import { z } from 'zod';

export const settings = z.strictObject({
  maxBytes: z
    .int()
    .min(0)
    .max(1_099_511_627_776)
    .default(134_217_728)
    .describe('Memory of the cache, in bytes; 0 = no cache.'),
  maxEntryBytes: z
    .int()
    .min(0)
    .max(1_073_741_824)
    .default(1_048_576)
    .describe('Largest cached file, in bytes; core streams files above 1,048,576, which are never cached.'),
});
