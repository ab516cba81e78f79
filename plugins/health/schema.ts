import { z } from 'zod';

export const settings = z.strictObject({
  rememberMilliseconds: z
    .int()
    .min(0)
    .max(60_000)
    .default(500)
    .describe('For so long a report is reused before the parts are checked again, in milliseconds.'),
});
