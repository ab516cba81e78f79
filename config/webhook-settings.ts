import { z } from 'zod';
import { CORE_ROLES } from './role-settings.ts';

/** A hundred years: a time that long ago is still a date. */
export const MOST_DAYS = 36_500;

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
        'Private targets that notifications may be sent to: hosts (localhost, *.internal), addresses and ranges (10.0.0.0/8). All other targets that are not on the public internet are refused.',
      ),
    certificateAuthority: z.string().min(1).nullable().default(null).meta({
      path: true,
      description: 'PEM file of further certificate authorities for receivers, besides the public ones.',
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
      .describe('Most concurrent attempts; retries get at most half of them.'),
    secretOverlapHours: z
      .number()
      .min(0)
      .max(720)
      .default(24)
      .describe('Hours for which the old secret signs as well after a webhook got a new one.'),
    logDays: z
      .int()
      .min(1)
      .max(MOST_DAYS)
      .default(30)
      .describe('Days for which delivered and dropped notifications are kept, with their attempts.'),
  })
  .prefault({})
  .meta({ roles: CORE_ROLES, description: 'Targets and delivery of webhook notifications.' });
