import type { Benchmark } from './benchmark.ts';
import { console } from './console/console.ts';
import { delivery } from './delivery/delivery.ts';
import { gateway } from './gateway/gateway.ts';
import { images } from './images/images.ts';
import { management } from './management/management.ts';
import { peers } from './peers/peers.ts';
import { scale } from './scale/scale.ts';
import { webhooks } from './webhooks/webhooks.ts';

export const BENCHMARKS: readonly Benchmark[] = [
  delivery,
  management,
  gateway,
  images,
  webhooks,
  scale,
  console,
  peers,
];
