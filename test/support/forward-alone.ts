import { z } from 'zod';
import { definePlugin, type Plugin, SURFACES } from '../../plugins/contract.ts';
import { plugin as coreProxy } from '../../plugins/core-proxy/index.ts';

/** Gives what core-proxy needs and does nothing else: the baseline that the whole pipeline is measured against. */
const constants = definePlugin({
  name: 'constants',
  phase: 'observe',
  surfaces: SURFACES,
  gives: ['requestId', 'body', 'principal'],
  settings: z.strictObject({}),
  setup() {
    return {
      handle: function constants(ctx, next) {
        ctx.state.requestId = 'request';
        ctx.state.body = undefined;
        ctx.state.principal = { kind: 'anonymous' };
        return next();
      },
    };
  },
});

/** The pipeline of the forward plugin alone. */
export const forwardAlone: readonly Plugin[] = [constants, coreProxy];
