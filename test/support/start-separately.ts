/** Cores and gateways that talk over HTTP, all in the process of the test. */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Config } from '../../config/load-config.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { type RunningCoreRole, startCore } from '../../gateway/roles/core.ts';
import { type RunningGatewayRole, startGateway } from '../../gateway/roles/gateway.ts';
import { plugins } from '../../plugins/registry.ts';
import { startAlternatingRelay } from './alternating-relay.ts';

const HEADWATER_INTERNAL_TOKEN = 'a-secret-of-gateways-and-cores-0123456789';

export interface SeparateRoles {
  /** Of the only gateway, or of a relay to all of them. */
  readonly urls: { readonly http: string; readonly https?: string | undefined };
  /** The first; it waits for the background work of all. */
  readonly core: RunningCore;
  /** Prometheus text of all. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/**
 * @param count of the cores, and of the gateways
 * @param dataDir of the first core and the first gateway; the others have folders in it
 */
export async function startSeparately(
  count: number,
  load: (environment?: Readonly<Record<string, string>>) => Promise<Config>,
  dataDir: string,
  beforeListening: (core: RunningCore) => Promise<void>,
): Promise<SeparateRoles> {
  const cores: RunningCoreRole[] = [];
  const gateways: RunningGatewayRole[] = [];
  const close = async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await Promise.all(cores.map((core) => core.close()));
  };
  const folder = async (name: string, index: number) => {
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
  };
  try {
    for (let index = 0; index < count; index++) {
      const config = await load({
        ...(await folder('core', index)),
        HEADWATER_ROLE: 'core',
        HEADWATER_LISTEN: `unix:${socketOf(dataDir, index)}`,
        HEADWATER_INTERNAL_TOKEN,
      });
      cores.push(await startCore(config, index === 0 ? beforeListening : undefined));
    }
    for (let index = 0; index < count; index++) {
      const config = await load({
        ...(await folder('gateway', index)),
        HEADWATER_ROLE: 'gateway',
        HEADWATER_CORES: cores.map(({ address }) => address).join(','),
        HEADWATER_INTERNAL_TOKEN,
      });
      gateways.push(await startGateway({ config, plugins }));
    }
    const [gateway] = gateways;
    const [core] = cores;
    if (!gateway || !core) throw new Error('There is no core.');
    const metrics = async () => {
      const texts = await Promise.all([
        ...gateways.map(async ({ urls }) => (await fetch(`${urls.http}/metrics`)).text()),
        ...cores.map((_, index) => readSocket(socketOf(dataDir, index), '/metrics')),
      ]);
      return texts.join('');
    };
    if (count === 1) return { urls: gateway.urls, core: core.core, metrics, close };
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
      urls: { http: relay.url, https: gateway.urls.https },
      core: withAll(
        core.core,
        cores.map((one) => one.core),
      ),
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
