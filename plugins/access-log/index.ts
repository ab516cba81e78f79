import { definePlugin, SURFACES } from '../contract.ts';
import { accessLine, originFields } from './line.ts';
import { settings } from './schema.ts';
import { openSink } from './sink.ts';
import { RequestWatch } from './watch.ts';

/** One line of JSON for every answered, refused or abandoned request. */
export const plugin = definePlugin({
  name: 'access-log',
  phase: 'observe',
  after: ['request-id', 'error-envelope'],
  surfaces: SURFACES,
  needs: ['requestId'],
  settings,
  setup(options, services) {
    const sink = openSink(options);
    const origin = originFields(services.process);
    const watch = services.state('watch', () => new RequestWatch());
    const skipped = new Set<string>(options.skipSurfaces);
    return {
      onResponse(exchange) {
        const { surface, outcome } = exchange.state;
        if (outcome.status < 500 && skipped.has(surface.name)) return;
        const now = services.clock.now();
        sink.write(accessLine(exchange, now, origin));
        if (watch.isOn) watch.add(exchange, now);
      },
      recentRequests: (after) => watch.read(after),
      dispose: () => sink.close(),
    };
  },
});
