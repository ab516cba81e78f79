import { withoutUser } from '../../config/redis-settings.ts';
import type { Settings } from '../../config/schema.ts';
import { readAuthority } from '../read-authority.ts';
import type { RedisAddress } from '../redis/redis-client.ts';
import { refusedBy } from '../redis/refused-by.ts';
import { type Finding, failedFinding } from './finding.ts';

const SUBJECT = 'redis';
const SLOW_ANSWER_MS = 5;
/** The quickest counts: the others also waited for this process. */
const SAMPLES = 5;

/** Whether a process with these settings uses Redis. */
export function usesRedis({ role, feed, redisUrl }: Settings): boolean {
  return redisUrl !== null && (role === 'all' || role === 'gateway' || (role === 'core' && feed === 'redis'));
}

/** Host and port of the servers, without the password of the URL. */
export function redisServers({ redisUrl, redis }: Settings): string {
  const servers = withoutUser(redisUrl ?? '');
  return `${servers}, prefix ${redis.prefix}`;
}

/** What `doctor` finds out about Redis; it connects as this role does. */
export async function redisFindings(settings: Settings): Promise<Finding[]> {
  if (!usesRedis(settings)) return [];
  try {
    return await inspect(settings);
  } catch (error) {
    return [failedFinding(SUBJECT, error)];
  }
}

async function inspect(settings: Settings): Promise<Finding[]> {
  const { redisUrl, redis } = settings;
  const certificateAuthority = await readAuthority('redis', redis.certificateAuthority);
  const address = { url: redisUrl ?? '', ...redis, certificateAuthority };
  const refusal = await refusalOf(settings, address);
  const role = settings.role === 'core' ? 'core' : 'gateway';
  if (refusal !== undefined)
    return [{ state: 'bad', subject: SUBJECT, detail: refusedBy(refusal, role).replace(/\.$/, '') }];
  const { createRedisClient, endClient, startClient } = await import('../redis/redis-client.ts');
  const client = createRedisClient(address);
  let failure = 'no answer within two seconds';
  let facts: string | undefined;
  let milliseconds = Number.POSITIVE_INFINITY;
  try {
    await startClient(
      client,
      async () => {
        for (let sample = 0; sample < SAMPLES; sample += 1) {
          const began = performance.now();
          await client.get(`${redis.prefix}:{probe}`);
          milliseconds = Math.min(milliseconds, performance.now() - began);
        }
        facts = await client.info().catch(() => '');
      },
      ({ message }) => {
        failure = message;
      },
    );
  } finally {
    await endClient(client);
  }
  const servers = redisServers(settings);
  if (facts === undefined)
    return [
      {
        state: 'warn',
        subject: SUBJECT,
        detail: `${servers}: cannot be reached (${failure}); until it can, each gateway limits by itself`,
      },
    ];
  const factOf = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(facts ?? '')?.[1]?.trim();
  const isSlow = milliseconds > SLOW_ANSWER_MS;
  return [
    {
      state: isSlow ? 'warn' : 'ok',
      subject: SUBJECT,
      detail: `Redis ${factOf('redis_version') ?? 'of an unknown version'}, ${servers}, answers in ${milliseconds.toFixed(1)} ms${isSlow ? '; place gateways nearer to it' : ''}`,
    },
    eviction(factOf('maxmemory_policy')),
  ];
}

/** The same first calls as at a start. */
async function refusalOf(
  { role, feed }: Pick<Settings, 'role' | 'feed'>,
  address: RedisAddress,
): Promise<string | undefined> {
  const [{ RedisConnection }, { CommitReader }, { CommitWriter }] = await Promise.all([
    import('../redis/redis-connection.ts'),
    import('../redis/commit-reader.ts'),
    import('../redis/commit-writer.ts'),
  ]);
  const users =
    role === 'core'
      ? [new CommitWriter(address, () => {})]
      : [
          new RedisConnection({ ...address, onChange: () => {} }),
          ...(role === 'gateway' && feed === 'redis' ? [new CommitReader(address)] : []),
        ];
  try {
    const refusals = await Promise.all(users.map((user) => user.start()));
    return refusals.find((one) => one !== undefined);
  } finally {
    await Promise.all(users.map((user) => user.close()));
  }
}

function eviction(policy: string | undefined): Finding {
  const subject = 'redis memory';
  if (policy === undefined)
    return {
      state: 'warn',
      subject,
      detail: 'this user may not read maxmemory-policy; it has to be noeviction',
    };
  if (policy === 'noeviction') return { state: 'ok', subject, detail: 'noeviction' };
  return {
    state: 'warn',
    subject,
    detail: `maxmemory-policy is ${policy}: where memory is short, counts of calls are lost and keys may call more often; set it to noeviction`,
  };
}
