import { z } from 'zod';

export const settings = z.strictObject({
  rememberEntries: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(10_000)
    .describe('Projects whose facts are cached, each until the change feed reports a change of it.'),
  rememberUnknown: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(5000)
    .describe('Ids without a project that are cached as such; they displace no project.'),
});
