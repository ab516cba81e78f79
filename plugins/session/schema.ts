import { z } from 'zod';

const calls = (period: string, normal: number) =>
  z.int().min(1).max(10_000_000).default(normal).describe(`Calls of one session in any ${period}.`);

export const settings = z.strictObject({
  limits: z
    .strictObject({ second: calls('second', 50), minute: calls('minute', 1000), hour: calls('hour', 20_000) })
    .prefault({})
    .describe('A browser with one person; calls are not counted as usage of a project.'),
});
