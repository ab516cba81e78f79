import { z } from 'zod';

export const settings = z.strictObject({
  logRefusals: z
    .boolean()
    .default(false)
    .describe('Also log, at level debug, every request that was refused with a 4xx.'),
});
