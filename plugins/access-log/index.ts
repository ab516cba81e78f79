import type { IncomingMessage, ServerResponse } from 'node:http';
import { answeredStatus } from '../answered-status.ts';
import { definePlugin, SURFACES } from '../contract.ts';
import { requestPath } from '../request-path.ts';
import { settings } from './schema.ts';
import { openSink } from './sink.ts';

/** One line of JSON for every answered, refused or abandoned request. */
export const plugin = definePlugin({
  name: 'access-log',
  phase: 'observe',
  after: ['request-id', 'error-envelope'],
  surfaces: SURFACES,
  needs: ['requestId'],
  settings,
  setup(options, kit) {
    const sink = openSink(options);
    const skipped = new Set<string>(options.skipSurfaces);
    return {
      handle: function accessLog(ctx, next) {
        const began = kit.clock.monotonic();
        const { req, res, state } = ctx;
        const path = requestPath(ctx.originalUrl);
        res.once('close', () => {
          const status = answeredStatus(res);
          if (status < 500 && skipped.has(state.surface.name)) return;
          const length = res.getHeader('content-length');
          sink.write({
            log: 'access',
            time: kit.clock.now(),
            id: state.requestId,
            surface: state.surface.name,
            method: req.method,
            // The path only: tokens and personal data may stand in a query.
            path: path.length > 2048 ? `${path.slice(0, 2048)}…` : path,
            status,
            bytes: length === undefined ? undefined : Number(length),
            ms: Math.round((kit.clock.monotonic() - began) * 100) / 100,
            client: state.client.address,
            // The client left before the answer was complete.
            aborted: isComplete(req, res) ? undefined : true,
          });
        });
        return next();
      },
      dispose: () => sink.close(),
    };
  },
});

/** HTTP/2 answers do not know `writableFinished`. */
function isComplete(req: IncomingMessage, res: ServerResponse): boolean {
  return req.httpVersionMajor === 1 ? res.writableFinished : res.writableEnded;
}
