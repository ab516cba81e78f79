/** Both ends of core over HTTP in the process of the test. */
import { connectCore, type RemoteCore } from '../../../core/remote/client/connect-core.ts';
import { type RunningCoreServer, serveCore } from '../../../core/remote/server/serve-core.ts';
import type { RunningService } from './start-service.ts';

const token = 'a-secret-of-gateway-and-core-0123456789';
const log = { info() {}, warn() {}, error: console.error };
const processOf = (role: 'gateway' | 'core') => () => ({
  role,
  instance: 'test',
  version: '0.0.0',
  started: '2026-01-01T00:00:00.000Z',
  address: null,
  configuration: null,
  protocol: null,
});

/** On a free port of 127.0.0.1. */
export function serveOverHttp(core: RunningService['core']): Promise<RunningCoreServer> {
  return serveCore({
    core,
    token,
    listen: '127.0.0.1:0',
    self: processOf('core'),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    slowMilliseconds: 0,
    log,
  });
}

/** @param cores addresses of servers or relays */
export function connectOverHttp(cores: readonly string[]): RemoteCore {
  return connectCore({ cores, token, process: processOf('gateway'), log });
}
