import { z } from 'zod';

export const settings = z
  .strictObject({
    buckets: z
      .array(z.number().positive())
      .min(1)
      .default([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])
      .meta({ live: false, description: 'Upper bounds of the duration histogram, in seconds, rising.' }),
    process: z.boolean().default(true).meta({
      live: false,
      description: 'Also measure the process: memory, CPU, event loop delay, garbage collection.',
    }),
    loopback: z
      .boolean()
      .default(true)
      .describe('Clients on this machine need no admin token; one behind an untrusted proxy always does.'),
  })
  .check(({ value, issues }) => {
    if (value.buckets.every((bound, at) => at === 0 || bound > (value.buckets[at - 1] ?? 0))) return;
    const message = 'must rise from each bound to the next';
    issues.push({ code: 'custom', path: ['buckets'], message, input: value.buckets });
  });
