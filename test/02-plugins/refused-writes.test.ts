/** The audit of writes that no page of the console sent. */
import { expect } from 'chai';
import type { CoreRequest } from '../../core/contract.ts';
import { systemClock } from '../../gateway/pipeline/plugin-services.ts';
import type { GatewayContext, PluginServices, RequestState } from '../../plugins/contract.ts';
import { LocalLimiter } from '../../plugins/counters/local-limiter.ts';
import { RefusedWrites } from '../../plugins/session/refused-writes.ts';

describe('a refused write of another origin', () => {
  it('waits a limited time for core, and cancels its entry', async () => {
    const requests: CoreRequest[] = [];
    const warned: string[] = [];
    const services = {
      core: {
        handle: (request: CoreRequest) => {
          requests.push(request);
          return new Promise(() => {});
        },
      },
      log: { warn: (_: object, message: string) => warned.push(message) },
    } as unknown as Pick<PluginServices, 'core' | 'log'>;
    const state = {
      surface: { name: 'console', path: '/api/admin/projects', query: '' },
      client: { address: '127.0.0.1' },
      bases: { console: 'http://a', assets: 'http://b' },
      principal: { kind: 'anonymous' },
      requestId: 'one',
    };
    const ctx = { req: { method: 'POST', headers: {} }, state } as unknown as GatewayContext<
      RequestState<'requestId', 'principal'>
    >;
    await new RefusedWrites(new LocalLimiter(systemClock, 10), services, 20).record(ctx);
    expect(requests.map(({ signal }) => signal?.aborted)).to.deep.equal([true]);
    expect(warned).to.deep.equal([
      'A write from another origin was refused.',
      'A refused write could not be entered in the audit log.',
    ]);
  });
});
