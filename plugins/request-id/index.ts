import { traceOf } from '../../core/contract.ts';
import { definePlugin, SURFACES } from '../contract.ts';
import { settings } from './schema.ts';

/** The form of an id from a proxy: logs and error bodies contain it. */
const ACCEPTABLE = /^[\w.:|-]{1,128}$/;

/** W3C Trace Context, 3.2.2: version, trace, parent, flags; later versions may append parts. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;
const TRACEPARENT_LENGTH = 55;

/** Gives every request an id, found again in the answer's header, in error bodies and in the log, and a trace. */
export const plugin = definePlugin({
  name: 'request-id',
  phase: 'observe',
  surfaces: SURFACES,
  gives: ['requestId', 'trace', 'traceparent'],
  settings,
  setup({ header, acceptFromProxies }, services) {
    const incoming = header.toLowerCase();
    return {
      onRequest(exchange) {
        const { req, state } = exchange;
        const offered = acceptFromProxies && state.client.viaTrustedProxy ? req.headers : undefined;
        state.requestId = acceptableId(offered?.[incoming]) ?? services.ids.newId();
        const traceparent = validTraceparent(offered?.['traceparent']);
        state.traceparent = traceparent;
        state.trace = traceparent === undefined ? services.ids.newTrace() : traceOf(traceparent);
        exchange.set(header, state.requestId);
        return 'next';
      },
    };
  },
});

function acceptableId(offered: unknown): string | undefined {
  return typeof offered === 'string' && ACCEPTABLE.test(offered) ? offered : undefined;
}

function validTraceparent(offered: unknown): string | undefined {
  if (typeof offered !== 'string' || !TRACEPARENT.test(offered)) return undefined;
  if (offered.length === TRACEPARENT_LENGTH) return offered;
  return offered.startsWith('00') ? undefined : `00${offered.slice(2, TRACEPARENT_LENGTH)}`;
}
