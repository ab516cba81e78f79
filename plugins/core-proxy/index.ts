import { requestLogFields } from '../../core/contract.ts';
import { clientSignal } from '../client-disconnect.ts';
import { definePlugin, type GatewayContext } from '../contract.ts';
import { sequenceHeader } from '../sequence-header.ts';
import { coreRequest } from './core-request.ts';
import { settings } from './schema.ts';
import { sendAnswer } from './send-answer.ts';

/** Sends the request to core, in this process, and core's answer to the client. The only plugin that calls core. */
export const plugin = definePlugin({
  name: 'core-proxy',
  phase: 'forward',
  terminal: true,
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'admin'],
  needs: ['requestId', 'body', 'principal'],
  gives: ['answer'],
  settings,
  setup({ streamBufferBytes }, services) {
    const sending = {
      streamBufferBytes,
      onBrokenStream: (error: unknown, { state }: GatewayContext) =>
        services.log.error({ ...requestLogFields(state), error }, 'a streamed answer broke off'),
      sequenceHeader: sequenceHeader(services.vendor.header[0]!),
    };
    return {
      handle: async function coreProxy(ctx) {
        const { outcome } = ctx.state;
        const began = services.clock.monotonic();
        try {
          const disconnected = clientSignal(ctx.res);
          const answer = await services.core.handle(coreRequest(ctx, disconnected));
          await sendAnswer(ctx, answer, disconnected, sending);
        } finally {
          outcome.upstreamMilliseconds = services.clock.monotonic() - began;
        }
      },
    };
  },
});
