/** Gateways of several machines with one Redis. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createClient } from 'redis';
import { loadConfig } from '../../config/load-config.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { startAll } from '../../gateway/roles/all.ts';
import { plugins } from '../../plugins/registry.ts';
import { longTest } from '../support/long-form.ts';
import { type RunningRedis, runRedis } from '../support/programs/run-redis.ts';
import { manageClient } from '../support/projects/manage-service.ts';
import { runCommand } from '../support/service/run-command.ts';
import { ADMIN_TOKEN, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

describe('a service with Redis', () => {
  let redis: RunningRedis;
  before(async function () {
    // It may have to be installed.
    this.timeout(300_000);
    redis = await runRedis();
  });
  after(() => redis.end());

  it('counts the calls of a key there, and shows how Redis is', async () => {
    const service = await startService({
      environment: {
        HEADWATER_REDIS_URL: redis.url,
        HEADWATER_REDIS__PREFIX: 'one',
        HEADWATER_PLUGINS__RATE_LIMIT__LIMITS__MINUTE: '10',
      },
    });
    const client = await createClient({ url: redis.url }).connect();
    try {
      const admin = async (method: string, path: string, body: unknown) =>
        (
          await fetch(`${service.url}/admin${path}`, {
            method,
            headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
        ).json() as Promise<{ id: string; key: string }>;
      const { id } = await admin('POST', '/projects', { name: 'x' });
      const projects = [{ id, capabilities: ['manage-apis'] }];
      const user = await admin('POST', '/users', { name: 'A', email: 'a@example.com', projects });
      const { key } = await admin('PUT', `/projects/${id}/management-api`, {
        enabled: true,
        user_id: user.id,
      });
      const v2 = manageClient(`${service.url}/manage/v2/projects/${id}`, key);
      for (let call = 0; call < 4; call += 1) expect((await v2.get('/types')).status).to.equal(200);
      // Another gateway admits the rest.
      const [name = ''] = await client.keys('one:limit:{key:*}');
      expect(name).to.match(/^one:limit:\{key:[^:{}]+\}$/);
      const fields = await client.hGetAll(name);
      const [part = ''] = Object.keys(fields).filter((field) => field.startsWith('m'));
      await client.hIncrBy(name, part, 10);
      const rejected = await v2.get('/types');
      expect(rejected.status).to.equal(429);
      const metrics = await service.metrics();
      expect(metrics).to.match(/^headwater_redis_up 1$/m);
      expect(metrics).to.match(/^headwater_redis_failures_total \d+$/m);
      const health = (await (
        await fetch(`${service.url}/health`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
      ).json()) as { parts: Record<string, unknown> };
      expect(health.parts['redis']).to.deep.equal({
        ok: true,
        detail: 'calls are counted over all gateways',
      });
    } finally {
      client.destroy();
      await service.stop();
    }
  });

  it('has the changes of core from a stream there, and says so', async () => {
    const service = await startService({
      isOverHttp: true,
      environment: {
        HEADWATER_FEED: 'redis',
        HEADWATER_REDIS_URL: redis.url,
        HEADWATER_REDIS__PREFIX: 'feed',
      },
    });
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    try {
      const streamed = async () =>
        Number(/^headwater_feed_stream_commits_total (\d+)$/m.exec(await service.metrics())?.[1]);
      await until(async () => {
        const created = await fetch(`${service.url}/admin/projects`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: '{"name":"x"}',
        });
        expect(created.status).to.equal(201);
        return (await streamed()) > 0;
      });
      const metrics = await service.metrics();
      expect(metrics).to.match(/^headwater_feed_stream_up 1$/m);
      expect(metrics).to.match(/^headwater_core_stream_up 1$/m);
      expect(metrics).to.match(/^headwater_core_stream_commits_total\{outcome="appended"\} [1-9]/m);
      const health = (await (
        await fetch(`${service.url}/health`, { headers: { authorization } })
      ).json()) as {
        parts: Record<string, unknown>;
      };
      expect(health.parts['stream']).to.deep.equal({ ok: true, detail: 'commits are read from Redis' });
      const error = await startService({
        environment: { HEADWATER_REDIS_URL: redis.url, HEADWATER_REDIS__PREFIX: 'feed' },
      }).catch((cause: Error) => cause);
      expect((error as Error).message).to.match(
        /^Another installation uses the same Redis with the same prefix.*redis\.prefix.*has feed\)\.$/,
      );
    } finally {
      await service.stop();
    }
  });

  longTest('has a doctor that warns of a Redis that evicts, and names what is wrong with one', async () => {
    const evicting = await runRedis(
      '--requirepass',
      'right',
      '--maxmemory',
      '50mb',
      '--maxmemory-policy',
      'allkeys-lru',
    );
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-redis-'));
    const doctor = async (url: string) => {
      const { code, out } = await runCommand(['doctor'], {
        HEADWATER_REDIS_URL: url,
        HEADWATER_DATA_DIR: dataDir,
      });
      expect(out).to.not.match(/right|wrong/);
      return {
        code,
        lines: out
          .split('\n')
          .filter((line) => / redis/.test(line))
          .join('\n'),
      };
    };
    try {
      const found = await doctor(evicting.url.replace('//', '//:right@'));
      expect(found.code).to.equal(0);
      expect(found.lines).to.match(
        /(ok|warn) +redis +Redis [67]\S+, 127\.0\.0\.1:\d+, prefix headwater, answers in/,
      );
      expect(found.lines).to.match(/warn +redis memory +maxmemory-policy is allkeys-lru.*noeviction/);
      const refused = await doctor(evicting.url.replace('//', '//:wrong@'));
      expect(refused.code).to.equal(1);
      expect(refused.lines).to.match(/bad +redis +Redis refuses this gateway; look at redisUrl: WRONGPASS/);
      const absent = await doctor('redis://127.0.0.1:1');
      expect([absent.code, absent.lines]).to.match(
        /0,warn +redis +127\.0\.0\.1:1.*cannot be reached \(.*ECONNREFUSED/,
      );
    } finally {
      await evicting.end();
      await rm(dataDir, { recursive: true });
    }
  });

  it('does not start with a password that Redis refuses, and says so without it', async () => {
    const guarded = await runRedis('--requirepass', 'right');
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-redis-'));
    const schemas = schemasOf(plugins);
    const environment = {
      HEADWATER_REDIS_URL: guarded.url.replace('//', '//:wrong@'),
      HEADWATER_DATA_DIR: dataDir,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_ADMIN_TOKEN: ADMIN_TOKEN,
      HEADWATER_LOG_LEVEL: 'fatal',
    };
    try {
      const error = await startAll({ config: await loadConfig({ environment }, schemas), plugins }).catch(
        (cause: Error) => cause,
      );
      expect((error as Error).message).to.equal(
        'Redis refuses this gateway; look at redisUrl: WRONGPASS invalid username-password pair or user is disabled.',
      );
    } finally {
      await guarded.end();
      await rm(dataDir, { recursive: true });
    }
  });
});
