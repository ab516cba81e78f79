import { Readable } from 'node:stream';
import type { GatewayContext, PluginServices, RequestState } from '../contract.ts';
import type { Limiter } from '../limiter.ts';
import { requestLogFields } from '../request-log-fields.ts';

/** Entries of the audit log, over all clients; more are in the log only, so that forged writes do not fill the database. */
const AUDITED = { second: 10, minute: 60, hour: 600 };

/** Writes that were refused because no page of the console sent them: each is in the log, and in the audit log of core. */
export class RefusedWrites {
  readonly #limiter: Limiter;
  readonly #services: Pick<PluginServices, 'core' | 'log'>;

  constructor(limiter: Limiter, services: Pick<PluginServices, 'core' | 'log'>) {
    this.#limiter = limiter;
    this.#services = services;
  }

  async record({ req, state }: GatewayContext<RequestState<'requestId', 'principal'>>): Promise<void> {
    const { surface, client, principal, bases, requestId } = state;
    const origin = req.headers.origin?.slice(0, 300) ?? null;
    const { core, log } = this.#services;
    log.warn(
      { ...requestLogFields(state), client: client.address, origin },
      'a write from another origin was refused',
    );
    if (!(await this.#limiter.take('refused writes', AUDITED)).admitted) return;
    const session = principal?.kind === 'session' ? principal.hash : null;
    const refused = { method: req.method, path: surface.path.slice(0, 300), origin, session };
    try {
      await core.handle({
        surface: 'console',
        method: 'POST',
        path: '/api/refused-writes',
        query: '',
        headers: { 'content-type': 'application/json' },
        bases: { self: bases.console, assets: bases.assets },
        principal: { kind: 'admin' },
        requestId,
        client: client.address,
        body: Readable.from([Buffer.from(JSON.stringify(refused))]),
      });
    } catch (error) {
      log.warn(
        { ...requestLogFields(state), error },
        'a refused write could not be entered in the audit log',
      );
    }
  }
}
