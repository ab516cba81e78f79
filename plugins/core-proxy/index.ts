import { clientSignal } from '../client-left.ts';
import { definePlugin } from '../contract.ts';
import { coreRequest, pickHeaders } from '../core-request.ts';
import { sendAnswer, sequenceHeader } from '../send-answer.ts';
import { settings } from './schema.ts';

/** Hands the request to core, in this process, and sends what comes back. */
export const plugin = definePlugin({
  name: 'core-proxy',
  phase: 'forward',
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'admin'],
  needs: ['requestId', 'body', 'principal'],
  gives: ['answer'],
  settings,
  setup({ streamBufferBytes }, services) {
    const sending = {
      streamBufferBytes,
      onBrokenStream: (error: unknown) => services.log.error({ error }, 'a streamed answer broke off'),
      sequenceHeader: sequenceHeader(services.vendor.header[0]!),
    };
    return {
      handle: async function coreProxy(ctx) {
        const { outcome } = ctx.state;
        const began = services.clock.monotonic();
        try {
          const request = coreRequest(ctx, pickHeaders(ctx.req.headers), clientSignal(ctx.res));
          const answer = await services.core.handle(request);
          await sendAnswer(ctx, answer, sending);
        } finally {
          outcome.upstreamMilliseconds = services.clock.monotonic() - began;
        }
      },
    };
  },
});
