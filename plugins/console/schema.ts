import { z } from 'zod';

export const settings = z.strictObject({
  title: z
    .string()
    .min(1)
    .max(60)
    .default('Headwater')
    .describe('Name of the installation in the title of each page and on the sign-in page.'),
});
