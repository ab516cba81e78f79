/** Settings of the Redis that gateways share. */
import { z } from 'zod';

const roles = ['all', 'gateway', 'core'];

interface Values {
  readonly redisUrl: string | null;
  readonly redis: { readonly sentinel: string | null; readonly cluster: boolean };
}

/** A host, IPv6 in brackets, and perhaps a port. */
const SERVER = String.raw`(?:[^\s@/,:[\]]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?`;

/** Its hosts and what is behind them, without a user and password. */
export function withoutUser(redisUrl: string): string {
  return redisUrl.replace(/^\w+:\/\/(?:[^@/]*@)?/, '');
}

/** What the address and its kind may be together. */
export function checkRedis({ redisUrl, redis }: Values): { path: string[]; message: string }[] {
  if (redisUrl === null) return [];
  const hosts = withoutUser(redisUrl);
  const problems: string[] = [];
  if (hosts.split(',').some((one) => !URL.canParse(`redis://${one}`)))
    problems.push('has a host that cannot exist, or a port above 65535');
  if (hosts.includes(',') && redis.sentinel === null && !redis.cluster)
    problems.push('names several servers: redis.sentinel or redis.cluster must be set');
  if (redis.cluster && /\/0*[1-9]/.test(hosts))
    problems.push('has the number of a database, and a cluster has one only');
  return problems.map((message) => ({ path: ['redisUrl'], message }));
}

export const redisSettings = {
  redisUrl: z
    .string()
    .regex(
      new RegExp(String.raw`^rediss?://(?:[^\s@/]*@)?${SERVER}(?:,${SERVER})*(?:/\d{0,4})?$`),
      'must be a redis:// or rediss:// URL; several hosts are separated by commas, IPv6 is in brackets',
    )
    .nullable()
    .default(null)
    .meta({
      secret: true,
      roles,
      description:
        'Redis in which gateways count calls together, and that carries changes where feed is redis, for example redis://user:password@redis.example.org:6379; rediss:// is TLS; null = each gateway limits by itself. With sentinels or a cluster it lists some of them, separated by commas.',
    }),
  redis: z
    .strictObject({
      prefix: z
        .string()
        .regex(/^[\w.:-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, colons, hyphens or underscores')
        .default('headwater')
        .describe('The names of all keys begin with it; two installations in one Redis need different ones.'),
      sentinel: z
        .string()
        .min(1)
        .nullable()
        .default(null)
        .describe('Name of the master; redisUrl then has the addresses of sentinels.'),
      cluster: z.boolean().default(false).describe('redisUrl has the addresses of nodes of a cluster.'),
      certificateAuthority: z.string().min(1).nullable().default(null).meta({
        path: true,
        description:
          'PEM file of the authority that signed the certificate of Redis; null = those of the system.',
      }),
    })
    .prefault({})
    .check(({ value, issues }) => {
      if (value.sentinel === null || !value.cluster) return;
      issues.push({
        code: 'custom',
        path: ['cluster'],
        message: 'must be false where redis.sentinel is set: a cluster has no sentinels',
        input: true,
      });
    })
    .meta({ roles, description: 'How gateways and cores use the Redis of redisUrl.' }),
};
