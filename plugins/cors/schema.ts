import { z } from 'zod';

const origin = z
  .string()
  .regex(
    /^(\*|https?:\/\/[^/\s*?#@]+)$/,
    'must be * or one origin such as https://www.example.org, without a path and without *',
  );

const header = z.string().regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header');

export const settings = z
  .strictObject({
    origins: z
      .array(origin)
      .default(['*'])
      .describe('Origins whose pages may call the service; * = all of them. An empty list allows none.'),
    headers: z
      .array(header)
      .default([])
      .describe('Allowed request headers, besides those of the known clients.'),
    exposeHeaders: z
      .array(header)
      .default([])
      .describe('Response headers that pages may read, besides those of the APIs.'),
    maxAgeSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(7200)
      .describe('Time for which a browser may cache the response to a preflight, in seconds.'),
  })
  .check(({ value, issues }) => {
    if (value.origins.length < 2 || !value.origins.includes('*')) return;
    const message = "must be either '*' alone or a list of origins";
    issues.push({ code: 'custom', path: ['origins'], message, input: value.origins });
  });
