import { networkInterfaces } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { Settings } from '../config/schema.ts';
import type { Core } from '../core/contract.ts';
import {
  type Clock,
  type Kit,
  type Log,
  type Plugin,
  SURFACES,
  type SurfaceName,
} from '../plugins/contract.ts';
import { plugin as limits } from '../plugins/limits/index.ts';
import { settings as limitsSettings } from '../plugins/limits/schema.ts';
import { serverLimits } from '../plugins/limits/server-limits.ts';
import { PIPELINE } from '../plugins/registry.ts';
import { arrivals } from './arrival.ts';
import { loadCertificate } from './certificate.ts';
import { randomIds, systemClock } from './kit.ts';
import { type Listener, type ListenOptions, listenHttp, listenHttps } from './listeners.ts';
import { buildPipeline, type Pipeline } from './pipeline.ts';

export interface GatewayOptions {
  readonly core: Core;
  readonly settings: Settings;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
  /** Validated settings by plugin name. */
  readonly pluginSettings: Readonly<Record<string, unknown>>;
  readonly logFor: (part: string) => Log;
  readonly clock?: Clock;
  readonly ids?: Kit['ids'];
}

export interface RunningGateway {
  /** Addresses a client on this machine can use; `https` is absent where TLS is off. */
  readonly urls: { readonly http: string; readonly https?: string };
  /** The base URL of each surface over plain HTTP. */
  readonly surfaces: Readonly<Record<SurfaceName, string>>;
  readonly order: Pipeline['order'];
  /** Stops accepting, lets running requests finish (`drainSeconds`), disposes of the plugins. Core stays. */
  close(): Promise<void>;
}

/**
 * Opens the doors in front of a core.
 *
 * @throws StartError; then nothing is left open
 */
export async function serve(options: GatewayOptions): Promise<RunningGateway> {
  const { settings, core, clock = systemClock, ids = randomIds } = options;
  const log = options.logFor('gateway');
  const pipeline = await buildPipeline({
    plugins: options.plugins,
    planned: PIPELINE.flatMap((entry) => ('planned' in entry ? [entry.planned] : [])),
    pipeline: settings.pipeline,
    settings: options.pluginSettings,
    arrive: arrivals(settings),
    parts: {
      core,
      clock,
      ids,
      vendor: settings.vendor,
      registry: new Registry(),
      states: new Map(),
      logFor: options.logFor,
    },
  });
  const open: Listener[] = [];
  async function close(drainMilliseconds: number): Promise<void> {
    pipeline.stopping();
    await Promise.all(open.map((listener) => listener.close(drainMilliseconds)));
    // Answers that were cut close a moment after their connections; plugins are still to hear of it.
    await setImmediate();
    await pipeline.dispose();
  }
  try {
    const common: Omit<ListenOptions, 'port'> = {
      host: settings.host,
      limits: serverLimits(limitsSettings.parse(options.pluginSettings[limits.name] ?? {})),
      handle: pipeline.handle,
      newId: ids.newId,
      onRefused: (fields) => log.debug(fields, 'a malformed request was refused'),
      onServerError: (error) => log.error({ error }, 'a listener failed'),
    };
    open.push(await listenHttp({ ...common, port: settings.port }));
    if (settings.tlsPort !== 0) {
      const names = certificateNames(settings);
      const place = { dataDir: settings.dataDir, names, now: clock.now() };
      const certificate = await loadCertificate(settings.tls, place);
      open.push(await listenHttps({ ...common, port: settings.tlsPort, certificate }));
    }
  } catch (error) {
    await close(0);
    throw error;
  }
  const [http, https] = open;
  return {
    urls: { http: http!.url, ...(https && { https: https.url }) },
    surfaces: surfaceUrls(settings, http!.url),
    order: pipeline.order,
    close: () => close(settings.drainSeconds * 1000),
  };
}

function surfaceUrls(settings: Settings, base: string): RunningGateway['surfaces'] {
  const entries = SURFACES.map((name) => {
    const { publicUrl, prefix } = settings.surfaces[name];
    return [name, publicUrl ?? base + prefix];
  });
  return Object.fromEntries(entries) as RunningGateway['surfaces'];
}

/** Everything a client on this machine or the local network may call the service by. */
function certificateNames(settings: Settings): string[] {
  const own = Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  );
  const hosts = SURFACES.flatMap((name) => settings.surfaces[name].hosts);
  const everywhere = settings.host === '0.0.0.0' || settings.host === '::';
  return [
    'localhost',
    '127.0.0.1',
    '::1',
    ...hosts,
    ...settings.allowedHosts.filter((host) => !host.startsWith('[')),
    ...(everywhere ? own.filter((address) => !address.includes('%')) : [settings.host]),
  ];
}
