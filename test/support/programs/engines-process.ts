/** Runs a Redis and a Swift until the standard input closes: also when the process of the tests was killed. */
import { once } from 'node:events';
import { runRedis } from './run-redis.ts';
import { runSwift } from './run-swift.ts';

export interface EngineAddresses {
  readonly redis: string;
  readonly swift: string;
}

const [redis, swift] = await Promise.all([runRedis(), runSwift()]);
try {
  const addresses: EngineAddresses = { redis: redis.url, swift: swift.endpoint };
  // The process of the tests may have ended by now.
  process.stdout.on('error', () => {});
  console.log(JSON.stringify(addresses));
  process.stdin.resume();
  await once(process.stdin, 'end');
} finally {
  await Promise.all([redis.end(), swift.end()]);
}
