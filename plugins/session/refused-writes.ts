import { Readable } from 'node:stream';
import { aborted } from '../../core/contract.ts';
import type { GatewayContext, PluginServices, RequestState } from '../contract.ts';
import type { Limiter } from '../counters/limiter.ts';
import { requestLogFields } from '../http/request-log-fields.ts';

/** Entries of the audit log, over all clients; more are in the log only, so that forged writes do not fill the database. */
const AUDITED = { second: 10, minute: 60, hour: 600 };

/** Writes that were refused because no page of the console sent them: each is in the log, and in the audit log of core. */
export class RefusedWrites {
  readonly #limiter: Limiter;
  readonly #services: Pick<PluginServices, 'core' | 'log'>;
  readonly #deadline: number;

  /** @param deadline milliseconds that the answer waits for core */
  constructor(limiter: Limiter, services: Pick<PluginServices, 'core' | 'log'>, deadline = 5000) {
    this.#limiter = limiter;
    this.#services = services;
    this.#deadline = deadline;
  }

  async record({ req, state }: GatewayContext<RequestState<'requestId', 'principal'>>): Promise<void> {
    const { surface, client, principal, bases, requestId } = state;
    const origin = req.headers.origin?.slice(0, 300) ?? null;
    const { core, log } = this.#services;
    log.warn(
      { ...requestLogFields(state), client: client.address, origin },
      'A write from another origin was refused.',
    );
    if (!(await this.#limiter.take('refused writes', AUDITED)).admitted) return;
    const session = principal?.kind === 'session' ? principal.hash : null;
    const refused = { method: req.method, path: surface.path.slice(0, 300), origin, session };
    // Not that of the client: who forges a write could keep it out of the audit log.
    const late = AbortSignal.timeout(this.#deadline);
    try {
      const recorded = core.handle({
        surface: 'console',
        method: 'POST',
        path: '/api/refused-writes',
        query: '',
        headers: { 'content-type': 'application/json' },
        bases: { self: bases.console, assets: bases.assets },
        principal: { kind: 'admin' },
        requestId,
        client: client.address,
        signal: late,
        body: Readable.from([Buffer.from(JSON.stringify(refused))]),
      });
      await Promise.race([recorded, aborted(late)]);
    } catch (error) {
      log.warn(
        { ...requestLogFields(state), error },
        'A refused write could not be entered in the audit log.',
      );
    }
  }
}
