/** The servers that a cluster needs, shared by the schedules of a run. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { type PostgresStandby, startStandby, synchronize } from '../../support/postgres-standby.ts';
import { type RunningRedis, runRedis } from '../../support/run-redis.ts';
import { type RunningSwift, runSwift, SWIFT_KEY, SWIFT_SECRET } from '../../support/run-swift.ts';

const REGION = 'us-east-1';

/** Two PostgreSQL servers, the second a synchronous standby of the first, a Redis, and a store with an S3 API. */
export class Engines {
  /** In the order of the addresses that cores have. */
  readonly servers: readonly [PostgresServer, PostgresStandby];
  readonly redis: RunningRedis;
  readonly swift: RunningSwift;
  readonly s3: S3Client;
  #buckets = 0;

  private constructor(servers: [PostgresServer, PostgresStandby], redis: RunningRedis, swift: RunningSwift) {
    this.servers = servers;
    this.redis = redis;
    this.swift = swift;
    this.s3 = new S3Client({
      endpoint: swift.endpoint,
      region: REGION,
      forcePathStyle: true,
      credentials: { accessKeyId: SWIFT_KEY, secretAccessKey: SWIFT_SECRET },
      // On a busy machine Swift asks for patience.
      maxAttempts: 20,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
  }

  static async start(): Promise<Engines> {
    const [servers, redis, swift] = await Promise.all([startServers(), runRedis(), runSwift()]);
    return new Engines(servers, redis, swift);
  }

  get primary(): PostgresServer {
    return this.servers[0];
  }

  get standby(): PostgresServer {
    return this.servers[1];
  }

  async newBucket(): Promise<string> {
    this.#buckets += 1;
    const name = `chaos-${this.#buckets}`;
    await this.s3.send(new CreateBucketCommand({ Bucket: name }));
    return name;
  }

  async end(): Promise<void> {
    this.s3.destroy();
    await Promise.all([...this.servers, this.redis, this.swift].map((engine) => engine.end()));
  }
}

async function startServers(): Promise<[PostgresServer, PostgresStandby]> {
  const primary = await startPostgres();
  const standby = await startStandby(primary);
  await synchronize(primary, standby.name);
  return [primary, standby];
}
