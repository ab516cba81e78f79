import { z } from 'zod';

export const settings = z.strictObject({
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')
    .default('X-Request-ID')
    .describe('Header that carries the id, in answers and from trusted proxies.'),
  acceptFromProxies: z
    .boolean()
    .default(true)
    .describe(
      'Keep the id and the `traceparent` that a trusted proxy gave the request, so that both logs have the same.',
    ),
});
