/** Settings of gateways and cores that are separate processes. */
import { z } from 'zod';
import { certificateFiles, checkPair } from './certificate-settings.ts';
import { CORE_PORT, parseCoreAddress } from './core-address.ts';
import { secretToken } from './secret-token.ts';

export const ROLES = ['all', 'gateway', 'core', 'worker'] as const;

/** The roles that contain a gateway, and those that contain a core. */
export const GATEWAY_ROLES: readonly Role[] = ['all', 'gateway'];
export const CORE_ROLES: readonly Role[] = ['all', 'core'];

export type Role = (typeof ROLES)[number];

export const roleSettings = {
  role: z
    .enum(ROLES)
    .default('all')
    .describe(
      'What this process does: all = gateway, core and workers in one process; gateway, core or worker = that part only.',
    ),
  instance: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, colons, hyphens or underscores')
    .nullable()
    .default(null)
    .meta({
      roles: ['gateway', 'core', 'worker'],
      description:
        'Name of this process in log lines, /health and the admin API; null = its host name and process id. The processes of gateway.processes have their process id behind it.',
    }),
  listen: z
    .string()
    .refine((text) => {
      const address = parseCoreAddress(text);
      return address?.kind === 'unix' || (address?.kind === 'tcp' && !address.tls && !address.every);
    }, 'must be host:port or unix:/path (at most 100 bytes), for example 10.0.0.5:8091')
    .default(`127.0.0.1:${CORE_PORT}`)
    .meta({
      roles: ['core'],
      description: 'Address at which a core answers gateways; port 0 = any free port.',
    }),
  cores: z
    .array(
      z.string().refine((text) => {
        const address = parseCoreAddress(text);
        return address !== undefined && !(address.kind === 'tcp' && address.port === 0);
      }, 'must be host:port, https://host:port, unix:/path or one DNS name, for example core-1.internal:8091'),
    )
    .default([])
    .meta({
      roles: ['gateway'],
      description: `Cores of a gateway: addresses as host:port, https://host:port or unix:/path, or one DNS name, each of whose addresses is a core at port ${CORE_PORT}.`,
    }),
  internalToken: secretToken
    .nullable()
    .default(null)
    .meta({
      secret: true,
      roles: ['gateway', 'core'],
      description: 'Secret that gateways and cores share, 32 characters or more.',
    }),
  internalTls: z
    .strictObject({
      ...certificateFiles('plain HTTP'),
      certificateAuthority: z.string().min(1).nullable().default(null).meta({
        path: true,
        description:
          'PEM file of the authority that signed the certificates of cores; null = those of the system.',
      }),
    })
    .prefault({})
    .check(checkPair('internalTls'))
    .meta({
      roles: ['gateway', 'core'],
      description:
        'TLS between gateways and cores: the certificate of a core, and the authority that a gateway trusts for cores at https:// addresses.',
    }),
  gateway: z
    .strictObject({
      processes: z
        .int()
        .min(1)
        .max(64)
        .default(1)
        .describe('Gateway processes on this machine behind one port.'),
    })
    .prefault({})
    .meta({ roles: ['gateway'], description: 'Processes of the role gateway.' }),
  feed: z
    .enum(['core', 'redis'])
    .default('core')
    .meta({
      roles: ['gateway', 'core'],
      description:
        'What carries changes from cores to gateways: core = each core sends them to each gateway; redis = a stream in the Redis of redisUrl, for many gateways, and cores send what it lacks.',
    }),
};

interface Values {
  readonly role: Role;
  readonly cores: readonly string[];
  readonly internalToken: string | null;
  readonly feed: 'core' | 'redis';
  readonly redisUrl: string | null;
  readonly workers: { readonly token: string | null };
}

/** What a role needs, and what its lists may hold. */
export function checkRole({
  role,
  cores,
  internalToken,
  feed,
  redisUrl,
  workers,
}: Values): { path: string[]; message: string }[] {
  const problems: { path: string[]; message: string }[] = [];
  const problem = (path: string[], message: string) => problems.push({ path, message });
  if (role === 'gateway' && cores.length === 0) problem(['cores'], 'must name a core, since role is gateway');
  if ((role === 'gateway' || role === 'core') && internalToken === null)
    problem(['internalToken'], `must be given, since role is ${role}`);
  if ((role === 'gateway' || role === 'core') && feed === 'redis' && redisUrl === null)
    problem(['redisUrl'], 'must be given, since feed is redis');
  if (role === 'worker' && workers.token === null)
    problem(['workers', 'token'], 'must be given, since role is worker');
  if (new Set(cores).size < cores.length) problem(['cores'], 'names an address twice');
  const name = cores.find((text) => {
    const address = parseCoreAddress(text);
    return address?.kind === 'tcp' && address.every;
  });
  if (name !== undefined && cores.length > 1)
    problem(
      ['cores'],
      `has ${name} without a port beside other addresses: give one DNS name alone, or ports`,
    );
  return problems;
}
