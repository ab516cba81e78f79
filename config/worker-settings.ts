import { z } from 'zod';
import { DEFAULT_MAX_PIXELS } from './image-limits.ts';
import { CORE_ROLES } from './role-settings.ts';
import { secretToken } from './secret-token.ts';

/** An address as `host:port`; IPv6 in brackets. */
const address = z
  .string()
  .regex(
    /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/,
    'must be host:port, for example images.internal:8090',
  )
  .refine(
    (text) => !(Number(text.slice(text.lastIndexOf(':') + 1)) > 65_535),
    'must have a port up to 65535',
  );

export const workerSettings = z
  .strictObject({
    hosts: z
      .int()
      .min(1)
      .max(64)
      .nullable()
      .default(null)
      .describe(
        'Processes that transform images, at a lower priority than the service; null = CPUs less one.',
      ),
    waiting: z
      .int()
      .min(1)
      .max(10_000)
      .default(64)
      .describe('Images that may wait for a worker; one more gets 503 at once.'),
    deadlineSeconds: z
      .int()
      .min(1)
      .max(600)
      .default(10)
      .describe('Longest time one image may take, waiting included.'),
    maxPixels: z
      .int()
      .min(1_000_000)
      .max(1_000_000_000)
      .default(DEFAULT_MAX_PIXELS)
      .describe('Larger images, all frames together, are delivered unchanged.'),
    allocator: z
      .enum(['auto', 'system'])
      .default('auto')
      .describe('auto = jemalloc where the system has it: an idle worker then holds a third of the memory.'),
    remote: z.array(address).default([]).meta({
      roles: CORE_ROLES,
      description: 'Workers on other machines, which then transform images in place of this one.',
    }),
    token: secretToken.nullable().default(null).meta({
      secret: true,
      description: 'Secret that this process shares with its remote workers, 32 characters or more.',
    }),
    listen: address.default('127.0.0.1:8090').meta({
      roles: ['worker'],
      description:
        'Address of a process of the role worker; use a private network, because nothing is encrypted.',
    }),
  })
  .prefault({})
  .check(({ value, issues }) => {
    if (value.remote.length === 0 || value.token !== null) return;
    const message = 'must be given too, since workers.remote is';
    issues.push({ code: 'custom', path: ['token'], message, input: null });
  })
  .meta({ roles: ['all', 'core', 'worker'], description: 'Processes that transform images.' });
