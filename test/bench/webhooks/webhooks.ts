import type { Benchmark } from '../benchmark.ts';
import { isolation } from './isolation.ts';
import { latency } from './latency.ts';
import { log } from './log.ts';
import { publish } from './publish.ts';
import { backlog, rest } from './rest.ts';
import { retryAfterRestart } from './retry-after-restart.ts';
import { throughput } from './throughput.ts';

export const webhooks: Benchmark = {
  name: 'webhooks',
  about: 'notifications from commit to receipt: durable, in order, signed, recorded; receivers on loopback',
  measures: [latency, throughput, isolation, publish, rest, backlog, retryAfterRestart, log],
};
