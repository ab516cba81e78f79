/** A core in memory behind a real listener, and gateways' clients of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayFeed } from '../../../core/changes/gateway-feed.ts';
import type { CoreRequest } from '../../../core/contract.ts';
import type { ProcessState } from '../../../core/process-identity.ts';
import {
  connectCore,
  type RemoteCore,
  type RemoteCoreOptions,
} from '../../../core/remote/client/connect-core.ts';
import { type CoreServerOptions, serveCore } from '../../../core/remote/server/serve-core.ts';
import { type FakeCore, fakeCore } from './fake-core.ts';

export const INTERNAL_TOKEN = 'a-secret-of-gateways-and-cores-0123456789';

export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly text: string;
}

export interface ServedFakeCore {
  readonly fake: FakeCore;
  /** As in the setting `cores`. */
  readonly address: string;
  /** Of a TCP address. */
  readonly port: number;
  readonly log: readonly LogLine[];
  close(drainMilliseconds?: number): Promise<void>;
}

export async function serveFakeCore(options: Partial<CoreServerOptions> = {}): Promise<ServedFakeCore> {
  const fake = fakeCore();
  const log = logLines();
  const server = await serveCore({
    core: {
      ...fake,
      gatewayFeed: new GatewayFeed(
        { sequence: 0, epoch: 'epoch' },
        { storage: { completeUntil: Number.POSITIVE_INFINITY }, read: async () => [] },
      ),
    },
    token: INTERNAL_TOKEN,
    listen: '127.0.0.1:0',
    metrics: async () => ({ type: 'text/plain; version=0.0.4', text: 'up 1\n' }),
    slowMilliseconds: 0,
    self: () => processState('core'),
    log: log.log,
    ...options,
  });
  return {
    fake,
    address: server.address,
    port: Number(server.address.split(':').at(-1)),
    log: log.lines,
    close: (drainMilliseconds = 0) => server.close(drainMilliseconds),
  };
}

/** A client of the cores, once it has greeted them. */
export async function connectTo(
  cores: readonly string[],
  options: Partial<RemoteCoreOptions> = {},
): Promise<RemoteCore> {
  const remote = connectCore({ ...clientOptions(cores), ...options });
  await remote.greeted().catch(async (error: unknown) => {
    await remote.close();
    throw error;
  });
  return remote;
}

export function clientOptions(cores: readonly string[]): RemoteCoreOptions {
  return { cores, token: INTERNAL_TOKEN, process: () => processState('gateway'), log: logLines().log };
}

/** A request for the answer that the test sets. */
export function coreRequest(more: Partial<CoreRequest> = {}): CoreRequest {
  return {
    surface: 'delivery',
    method: 'GET',
    path: '/project/items',
    query: '',
    headers: {},
    bases: { self: 'http://127.0.0.1/delivery', assets: 'http://127.0.0.1/assets' },
    principal: { kind: 'anonymous' },
    requestId: 'request-1',
    ...more,
  };
}

/** A path for a Unix socket; the folder is removed with `remove`. */
export function socketFolder(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-remote-'));
  return { path: join(folder, 'core.sock'), remove: () => rmSync(folder, { recursive: true }) };
}

function processState(role: 'core' | 'gateway'): ProcessState {
  const started = '2026-11-22T00:00:00.000Z';
  return { role, instance: role, version: '1', started, address: null, configuration: null, protocol: 1 };
}

function logLines() {
  const lines: LogLine[] = [];
  const add = (level: LogLine['level']) => (fields: object, text: string) => {
    lines.push({ level, fields, text });
  };
  return { lines, log: { info: add('info'), warn: add('warn'), error: add('error') } };
}
