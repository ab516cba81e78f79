import type { Bench, Quantity, Turn } from './benchmark.ts';
import type { LoadOrder } from './load-client.ts';
import { cpuMilliseconds } from './process-usage.ts';
import type { Service } from './service.ts';

/** A turn of load on a service: what is picked of the client's figures, and CPU time of the service for a request. */
export function loadTurn<Picked extends Quantity & ('perSecond' | 'p50' | 'p99')>(
  { load }: Pick<Bench, 'load'>,
  service: Pick<Service, 'port' | 'pid'>,
  picked: Picked,
  order: Omit<LoadOrder, 'port'>,
): Turn {
  return async () => {
    const before = cpuMilliseconds(service.pid);
    const found = await load.run({ port: service.port, ...order });
    const cpu = (cpuMilliseconds(service.pid) - before) / order.requests;
    return { [picked]: found[picked], cpu };
  };
}
