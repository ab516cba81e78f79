import { z } from 'zod';

const target = z.union(
  [z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6(), z.string().regex(/^(\*\.)?[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/)],
  'must be a host in lower case, *.domain, an address or a range, for example localhost, 192.168.0.10 or 10.0.0.0/8',
);

export const webhookSettings = z
  .strictObject({
    allow: z
      .array(target)
      .default([])
      .describe(
        'Private targets that notifications may be sent to: hosts (localhost, *.internal), addresses and ranges (10.0.0.0/8). All else that is not on the public internet is refused.',
      ),
    certificateAuthority: z.string().min(1).nullable().default(null).meta({
      path: true,
      description: 'PEM file of authorities whose certificates receivers may have, beside the usual ones.',
    }),
    standardHeaders: z
      .boolean()
      .default(true)
      .describe('Also send the webhook-… headers of Standard Webhooks.'),
    parallel: z
      .int()
      .min(1)
      .max(10_000)
      .default(500)
      .describe('Attempts under way at most; those that failed before get half of them.'),
    secretOverlapHours: z
      .number()
      .min(0)
      .max(720)
      .default(24)
      .describe('Hours for which the secret before signs as well after a webhook got a new one.'),
    logDays: z
      .int()
      .min(1)
      .default(30)
      .describe('Delivered and dropped notifications are kept so many days, with their attempts.'),
  })
  .prefault({})
  .describe('Where notifications of webhooks may go, and how.');
