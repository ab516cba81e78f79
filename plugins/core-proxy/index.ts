import { newCallTiming, roundedMilliseconds, SlowCallLog } from '../../core/contract.ts';
import { definePlugin, type GatewayContext } from '../contract.ts';
import { cacheDirectives } from '../http/cache-directives.ts';
import { clientSignal } from '../http/client-disconnect.ts';
import { requestLogFields } from '../http/request-log-fields.ts';
import { requestPath } from '../http/request-path.ts';
import { sequenceHeader } from '../http/sequence-header.ts';
import { coreRequest } from './core-request.ts';
import { requestTiming, serverTiming, timingFields } from './request-timing.ts';
import { settings } from './schema.ts';
import { sendAnswer } from './send-answer.ts';

/** Sends the request to core, and core's answer to the client. */
export const plugin = definePlugin({
  name: 'core-proxy',
  phase: 'forward',
  terminal: true,
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'admin', 'console'],
  needs: ['requestId', 'body', 'principal'],
  gives: ['answer'],
  settings,
  setup({ streamBufferBytes, slowMilliseconds }, services) {
    const directives = cacheDirectives(services.vendor.header);
    const slowCalls = new SlowCallLog(services.log, slowMilliseconds);
    const sending = {
      streamBufferBytes,
      onBrokenStream: (error: unknown, { state }: GatewayContext) =>
        services.log.error({ ...requestLogFields(state), error }, 'A streamed answer failed.'),
      sequenceHeader: sequenceHeader(services.vendor.header[0]!),
    };
    return {
      handle: async function coreProxy(ctx) {
        const { outcome, principal } = ctx.state;
        const began = services.clock.monotonic();
        const timing = newCallTiming();
        try {
          const disconnected = clientSignal(ctx.res);
          const directed = directives.read(ctx.req.headers);
          const answer = await services.core.handle(coreRequest(ctx, disconnected, timing, directed));
          await sendAnswer(ctx, answer, disconnected, sending);
        } finally {
          const ended = services.clock.monotonic();
          outcome.upstreamMilliseconds = ended - began;
          if (principal?.kind === 'admin' && !ctx.headerSent)
            ctx.set('server-timing', serverTiming(requestTiming(outcome, timing, began, ended)));
          const taken = ended - outcome.began;
          slowCalls.record(taken, ended, () => ({
            ...requestLogFields(ctx.state),
            surface: ctx.state.surface.name,
            method: ctx.method,
            path: requestPath(ctx.originalUrl),
            ms: roundedMilliseconds(taken),
            ...timingFields(requestTiming(outcome, timing, began, ended)),
          }));
        }
      },
    };
  },
});
