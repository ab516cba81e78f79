/** Gateways, cores and workers as separate roles, all in the process of the test. */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Config } from '../../../config/load-config.ts';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { type RunningCoreRole, startCore } from '../../../gateway/roles/core.ts';
import { type RunningGatewayRole, startGateway } from '../../../gateway/roles/gateway.ts';
import { type RunningWorker, startWorker } from '../../../gateway/roles/worker.ts';
import { plugins } from '../../../plugins/registry.ts';
import { startAlternatingRelay } from '../network/alternating-relay.ts';
import type { Topology } from './topology.ts';

export const HEADWATER_INTERNAL_TOKEN = 'a-secret-of-gateways-and-cores-0123456789';
const HEADWATER_WORKERS__TOKEN = 'a-secret-of-cores-and-workers-0123456789';

type Environment = Readonly<Record<string, string>>;
/** Settings of a service, with those of a role. */
type LoadConfig = (environment?: Environment) => Promise<Config>;

export interface SeparateRoles {
  /** `http` is that of a relay to all gateways. */
  readonly urls: { readonly http: string; readonly https?: string | undefined };
  /** The first; it waits for the background work of all. */
  readonly core: RunningCore;
  readonly cores: readonly RunningCore[];
  /** Prometheus text of all. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** @param dataDir of the first core and the first gateway; the others have folders in it */
export async function startSeparately(
  topology: Topology,
  load: LoadConfig,
  dataDir: string,
  beforeListening: (core: RunningCore) => Promise<void>,
): Promise<SeparateRoles> {
  const workers: RunningWorker[] = [];
  const cores: RunningCoreRole[] = [];
  const gateways: RunningGatewayRole[] = [];
  const close = async () => {
    for (const roles of [gateways, cores, workers]) await Promise.all(roles.map((role) => role.close()));
  };
  try {
    for (let index = 0; index < topology.workers; index++) {
      const config = await load({
        HEADWATER_ROLE: 'worker',
        HEADWATER_WORKERS__LISTEN: '127.0.0.1:0',
        HEADWATER_WORKERS__TOKEN,
      });
      workers.push(await startWorker(config));
    }
    const remoteWorkers: Environment =
      workers.length > 0
        ? {
            HEADWATER_WORKERS__REMOTE: JSON.stringify(workers.map(({ address }) => address)),
            HEADWATER_WORKERS__TOKEN,
          }
        : {};
    for (let index = 0; index < topology.cores; index++) {
      const config = await load({
        ...remoteWorkers,
        ...(await ownFolder(dataDir, 'core', index)),
        HEADWATER_ROLE: 'core',
        HEADWATER_LISTEN: `unix:${socketOf(dataDir, index)}`,
        HEADWATER_INTERNAL_TOKEN,
      });
      cores.push(await startCore(config, index === 0 ? beforeListening : undefined));
    }
    const addresses = cores.map(({ address }) => address);
    gateways.push(...(await startGateways(topology.gateways, addresses, load, dataDir)));
    const [gateway] = gateways;
    const [core] = cores;
    if (!gateway || !core) throw new Error('There is no core.');
    const metrics = async () => {
      const texts = await Promise.all([
        ...gateways.map(async ({ urls }) => (await fetch(`${urls.http}/metrics`)).text()),
        ...cores.map((_, index) => readSocket(socketOf(dataDir, index), '/metrics')),
        ...workers.map(async ({ probes }) => (await fetch(`${probes}/metrics`)).text()),
      ]);
      return texts.join('');
    };
    const all = cores.map((one) => one.core);
    const { staleMilliseconds } = (await load()).plugins['response-cache'] as {
      staleMilliseconds: number;
    };
    const relay = await startAlternatingRelay(
      gateways.map(({ urls }) => Number(new URL(urls.http).port)),
      async () => {
        if (staleMilliseconds === 0) await everywhere(core.core);
      },
    );
    return {
      cores: all,
      urls: { http: relay.url, https: gateway.urls.https },
      core: withAll(core.core, all),
      metrics,
      async close() {
        await relay.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param cores their addresses */
export async function startGateways(
  count: number,
  cores: readonly string[],
  load: LoadConfig,
  dataDir: string,
): Promise<RunningGatewayRole[]> {
  const gateways: RunningGatewayRole[] = [];
  try {
    for (let index = 0; index < count; index++) {
      const config = await load({
        ...(await ownFolder(dataDir, 'gateway', index)),
        HEADWATER_ROLE: 'gateway',
        HEADWATER_CORES: cores.join(','),
        HEADWATER_INTERNAL_TOKEN,
      });
      gateways.push(await startGateway({ config, plugins }));
    }
  } catch (error) {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    throw error;
  }
  return gateways;
}

async function ownFolder(dataDir: string, name: 'core' | 'gateway', index: number): Promise<Environment> {
  if (index === 0) return {};
  const own = join(dataDir, `${name}-${index + 1}`);
  await mkdir(own);
  return {
    HEADWATER_DATA_DIR: own,
    ...(name === 'gateway' && {
      HEADWATER_TLS_PORT: '0',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(own, 'access.log'),
    }),
  };
}

/** Resolves when all gateways know what was committed before. Until then an answer without the wait header may be older. */
async function everywhere({ operations: { storage }, gatewayFeed }: RunningCore): Promise<void> {
  // Not while the test itself keeps the database from answering.
  const known = await storage.sql
    .get<{ sequence: number }>('SELECT sequence FROM installation')
    .catch(() => undefined);
  if (known === undefined) return;
  await storage.caughtUp(known.sequence)?.catch(() => {});
  await gatewayFeed.confirmed(known.sequence);
}

function withAll(first: RunningCore, cores: readonly RunningCore[]): RunningCore {
  const settled = (waitFor: (core: RunningCore) => Promise<void>) => async () => {
    // What one core ended may be the begin of something on another.
    for (const _ of cores) {
      await Promise.all(cores.map(everywhere));
      await Promise.all(cores.map(waitFor));
    }
  };
  return {
    ...first,
    operations: { ...first.operations, settled: settled(({ operations }) => operations.settled()) },
    webhooks: { ...first.webhooks, settled: settled(({ webhooks }) => webhooks.settled()) },
  };
}

function socketOf(dataDir: string, index: number): string {
  return join(dataDir, index === 0 ? 'core.sock' : `core-${index + 1}.sock`);
}

async function readSocket(socketPath: string, path: string): Promise<string> {
  const [response] = (await once(get({ socketPath, path }), 'response')) as [IncomingMessage];
  return text(response);
}
