import { z } from 'zod';

export const settings = z.strictObject({
  flushSeconds: z
    .number()
    .min(0.1)
    .max(3600)
    .default(2)
    .describe(
      'Calls are counted here and sent to core after this time, in seconds; a crash loses those not sent yet.',
    ),
});
