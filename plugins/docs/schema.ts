import { z } from 'zod';

export const settings = z.strictObject({
  title: z
    .string()
    .min(1)
    .max(60)
    .default('Headwater')
    .describe('Name of the service on the explorer page and in the description of the API.'),
  explorer: z
    .boolean()
    .default(true)
    .describe('Serve the explorer page; false serves only the description of the API at /openapi.json.'),
});
