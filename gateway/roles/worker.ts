import { Registry } from 'prom-client';
import type { Config } from '../../config/load-config.ts';
import { StartError } from '../../config/start-error.ts';
import { urlHost } from '../../config/url-host.ts';
import { registerProcessMetrics } from '../../plugins/counters/process-metrics.ts';
import { listenRemote } from '../../workers/host/listen-remote.ts';
import { TASKS_PER_HOST } from '../../workers/tier/start-workers.ts';
import { listenError } from '../listeners/listen-error.ts';
import { createLog, logFor } from '../log.ts';
import { processIdentity } from '../process-identity.ts';
import { hostAndPort, hostsOf, openWorkers } from './open-workers.ts';
import { type RunningProbeServer, serveProbes } from './probe-server.ts';
import { makeReloads, type Reloads } from './reload.ts';
import { workerMetrics } from './worker-metrics.ts';

export interface RunningWorker {
  /** `host:port` for its clients. */
  readonly address: string;
  /** Where it answers `/health` and `/metrics`; undefined where `port` is not set. */
  readonly probes: string | undefined;
  /** Applies the settings that can change while it runs. */
  reload: Reloads['reload'];
  close(): Promise<void>;
}

/**
 * Transforms images for services on other machines, without a database.
 *
 * @throws StartError
 */
export async function startWorker(config: Config): Promise<RunningWorker> {
  const { settings } = config;
  const { token, listen } = settings.workers;
  if (token === null) {
    throw new StartError('A worker needs the secret that it shares with its clients: workers.token.');
  }
  const identity = processIdentity(settings);
  const logs = logFor(createLog(settings.logLevel, identity));
  const log = logs('workers');
  const workers = openWorkers(settings.workers, log, []);
  const { host, port } = hostAndPort(listen);
  const concurrency = hostsOf(settings.workers) * TASKS_PER_HOST;
  const registry = new Registry();
  workerMetrics(registry, workers);
  registerProcessMetrics(registry);
  let place: [address: string, setting: string] = [listen, 'HEADWATER_WORKERS__LISTEN'];
  let probes: RunningProbeServer | undefined;
  let listener: Awaited<ReturnType<typeof listenRemote>> | undefined;

  async function close(): Promise<void> {
    await listener?.close();
    await probes?.close();
    await workers.close();
  }
  try {
    listener = await listenRemote({ workers, host, port, token, concurrency, log });
    if (isGiven(config, 'port')) {
      place = [`${urlHost(settings.host)}:${settings.port}`, 'HEADWATER_HOST, HEADWATER_PORT'];
      probes = await serveProbes({
        host: settings.host,
        port: settings.port,
        async health() {
          const health = await workers.health();
          return { ok: health.ok, parts: { workers: health } };
        },
        metrics: async () => ({ type: registry.contentType, text: await registry.metrics() }),
      });
    }
  } catch (error) {
    await close();
    throw listenError(...place, error);
  }
  const reloads = makeReloads(async () => ({ apply() {}, discard: async () => {} }), logs, config);
  return {
    address: listen.replace(/\d{1,5}$/, String(listener.port)),
    probes: probes?.url,
    reload: reloads.reload,
    async close() {
      await reloads.end();
      await close();
    },
  };
}

/** Whether the operator has set it, to its default or not. */
export function isGiven({ entries }: Config, setting: string): boolean {
  return entries.some(({ path, origin }) => path === setting && origin.from !== 'default');
}
