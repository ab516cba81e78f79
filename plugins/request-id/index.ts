import type { IncomingMessage } from 'node:http';
import { type ClientFacet, definePlugin, SURFACES } from '../contract.ts';
import { settings } from './schema.ts';

/** The form of an id from a proxy: logs and error bodies contain it. */
const ACCEPTABLE = /^[\w.:|-]{1,128}$/;

/** Gives every request an id, found again in the answer's header, in error bodies and in the log. */
export const plugin = definePlugin({
  name: 'request-id',
  phase: 'observe',
  surfaces: SURFACES,
  gives: ['requestId'],
  settings,
  setup({ header, acceptFromProxies }, services) {
    const incoming = header.toLowerCase();
    function idOf({ headers }: IncomingMessage, client: ClientFacet): string {
      const offered = acceptFromProxies && client.viaTrustedProxy ? headers[incoming] : undefined;
      return typeof offered === 'string' && ACCEPTABLE.test(offered) ? offered : services.ids.newId();
    }
    return {
      onRequest(exchange) {
        const { req, state } = exchange;
        state.requestId = idOf(req, state.client);
        exchange.set(header, state.requestId);
        return 'next';
      },
    };
  },
});
