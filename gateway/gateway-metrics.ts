import { Gauge, type Registry } from 'prom-client';
import type { HealthReport } from '../core/contract.ts';
import type { Listener } from './listeners/listen.ts';

/** The gateway's own metrics, collected on each scrape. */
export function gatewayMetrics(
  registry: Registry,
  listeners: readonly Pick<Listener, 'scheme' | 'connections'>[],
  report: () => Promise<HealthReport>,
): void {
  const registers = [registry];
  new Gauge({
    name: 'headwater_gateway_connections',
    help: 'Connections that are open.',
    labelNames: ['scheme'],
    registers,
    collect() {
      for (const { scheme, connections } of listeners) this.set({ scheme }, connections);
    },
  });
  new Gauge({
    name: 'headwater_gateway_part_ok',
    help: 'The parts of the health page: 1 = ok.',
    labelNames: ['part'],
    registers,
    async collect() {
      const { parts } = await report();
      this.reset();
      for (const [part, { ok }] of Object.entries(parts)) this.set({ part }, ok ? 1 : 0);
    },
  });
}
