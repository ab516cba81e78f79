import { z } from 'zod';

export const settings = z.strictObject({
  rememberEntries: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(20_000)
    .describe('Keys, wrong ones included, that are remembered until the change feed tells of a change.'),
});
