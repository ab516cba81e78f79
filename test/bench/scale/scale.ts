import type { Benchmark } from '../benchmark.ts';
import { coreOverHttp } from './core-over-http.ts';
import { freshEverywhere } from './fresh-everywhere.ts';
import { gatewayProcesses } from './gateway-processes.ts';
import { gatewayStart } from './gateway-start.ts';
import { keysRegenerated } from './keys-regenerated.ts';
import { largeBodies } from './large-bodies.ts';

export const scale: Benchmark = {
  name: 'scale',
  about: 'gateways and core as processes of their own: what it costs, how fresh it stays',
  measures: [coreOverHttp, largeBodies, freshEverywhere, keysRegenerated, gatewayStart, gatewayProcesses],
};
