/** The servers that a cluster needs, shared by the schedules of a run. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { type PostgresServer, startPostgres } from '../../support/database/postgres.ts';
import { follow, promote, startStandby, synchronize } from '../../support/database/postgres-standby.ts';
import { type RunningRedis, runRedis } from '../../support/programs/run-redis.ts';
import { type RunningSwift, runSwift, SWIFT_KEY, SWIFT_SECRET } from '../../support/programs/run-swift.ts';

/** A standby that was away finds the log that it lacks, also where a fault has used many of its files. */
const KEPT = ['wal_keep_size = 512MB'];
const REGION = 'us-east-1';
/** How a former primary calls itself as a standby. */
const STANDBY = 'former';

/** Two PostgreSQL servers, the second a synchronous standby of the first, a Redis, and a store with an S3 API. */
export class Engines {
  /** In the order of the addresses that cores have. */
  readonly servers: readonly [PostgresServer, PostgresServer];
  readonly redis: RunningRedis;
  readonly swift: RunningSwift;
  readonly s3: S3Client;
  #buckets = 0;
  #primary: 0 | 1 = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(servers: [PostgresServer, PostgresServer], redis: RunningRedis, swift: RunningSwift) {
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
    return this.servers[this.#primary];
  }

  get standby(): PostgresServer {
    return this.servers[this.#primary === 0 ? 1 : 0];
  }

  /** The primary is killed, its standby promoted, and the former primary made the standby of the new one. */
  failOver(): Promise<void> {
    return this.withStandby(async () => {
      const { primary: former, standby: next } = this;
      await former.stop('KILL');
      await promote(next);
      this.#primary = this.#primary === 0 ? 1 : 0;
      await follow(former, next, STANDBY);
      await synchronize(next, STANDBY);
    });
  }

  /** Runs what needs the standby as it is, one after another. */
  withStandby(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
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

async function startServers(): Promise<[PostgresServer, PostgresServer]> {
  const primary = await startPostgres({ hasDisk: true, settings: KEPT });
  const standby = await startStandby(primary, { hasDisk: true, settings: KEPT });
  await synchronize(primary, standby.name);
  return [primary, standby];
}
