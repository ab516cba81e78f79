import { z } from 'zod';

export const settings = z.strictObject({
  rememberMilliseconds: z
    .int()
    .min(0)
    .max(60_000)
    .default(500)
    .describe('A report is given again for so long before the parts are asked anew, in milliseconds.'),
});
