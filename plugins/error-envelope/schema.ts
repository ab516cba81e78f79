import { z } from 'zod';

export const settings = z.strictObject({
  logRefusals: z
    .boolean()
    .default(false)
    .describe('Also log every request that is refused with a 4xx, at level debug.'),
});
