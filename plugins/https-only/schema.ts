import { z } from 'zod';

export const settings = z.strictObject({
  required: z
    .boolean()
    .default(true)
    .describe(
      'Plain HTTP is answered to this machine and to trusted proxies that send X-Forwarded-Proto: https only; false = to all clients.',
    ),
  hsts: z
    .strictObject({
      maxAgeSeconds: z
        .int()
        .min(0)
        .max(63_072_000)
        .default(0)
        .describe(
          'How long browsers use only HTTPS for this host, on all its ports, in seconds; 0 = no header. A year is 31536000.',
        ),
      includeSubDomains: z.boolean().default(false).describe('The same for every host name below it.'),
      preload: z
        .boolean()
        .default(false)
        .describe(
          'Allows inclusion in the preload lists of browsers; needs a year or more and includeSubDomains.',
        ),
    })
    .prefault({})
    .check(({ value, issues }) => {
      if (!value.preload || (value.includeSubDomains && value.maxAgeSeconds >= 31_536_000)) return;
      const message = 'needs includeSubDomains and a maxAgeSeconds of 31536000 or more';
      issues.push({ code: 'custom', path: ['preload'], message, input: value.preload });
    })
    .describe('Strict-Transport-Security (RFC 6797), sent over HTTPS to clients that use a host name.'),
});
