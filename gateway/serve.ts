import { networkInterfaces } from 'node:os';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { ConfigEntry } from '../config/load-config.ts';
import type { Settings } from '../config/schema.ts';
import { StartError } from '../config/start-error.ts';
import type { Core, ProcessIdentity } from '../core/contract.ts';
import { type Clock, type Log, type Plugin, SURFACES, type SurfaceName } from '../plugins/contract.ts';
import { AttemptCounter } from '../plugins/counters/failed-attempts.ts';
import { LocalLimiter } from '../plugins/counters/local-limiter.ts';
import { limitSettings, type ServerLimits, serverLimits } from '../plugins/http/server-limits.ts';
import { gatewayHealth } from './gateway-health.ts';
import { gatewayMetrics } from './gateway-metrics.ts';
import { gatewayReport } from './gateway-report.ts';
import { loadCertificate } from './listeners/certificate.ts';
import { type Listener, type ListenOptions, listenHttp, listenHttps } from './listeners/listen.ts';
import { livePipeline } from './pipeline/live-pipeline.ts';
import { buildPipeline, type Pipeline } from './pipeline/pipeline.ts';
import { makeMetrics, randomIds, systemClock } from './pipeline/plugin-services.ts';
import { processIdentity } from './process-identity.ts';
import type { ProcessGroup } from './processes/process-group.ts';
import type { SharedRedis } from './redis/open-redis.ts';
import { requestResolver } from './request/resolve-request.ts';

/** What a reload may change. */
export interface GatewayConfig {
  readonly settings: Settings;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
  /** Validated settings by plugin name. */
  readonly pluginSettings: Readonly<Record<string, unknown>>;
  /** Effective settings with their origins, for operators. */
  readonly entries?: readonly ConfigEntry[];
  /** Of the configuration, for the health page. */
  readonly digest?: string;
}

/** A configuration that is set up beside the current one. */
export interface PreparedConfig {
  /** Swaps. No request is dropped: running ones end in their pipeline. Does not fail. */
  apply(): void | Promise<void>;
  /** Disposes of what was set up, instead of `apply`. */
  discard(): Promise<void>;
}

export interface GatewayOptions extends GatewayConfig {
  readonly core: Core;
  readonly logFor: (part: string) => Log;
  /** Made of the settings unless given. */
  readonly process?: ProcessIdentity;
  readonly clock?: Clock;
  /** The other gateway processes of the machine. */
  readonly group?: ProcessGroup | undefined;
  /** What the gateways of all machines share. */
  readonly redis?: SharedRedis | undefined;
  /** The registry of all metrics; made here unless given. */
  readonly registry?: Registry;
}

export interface RunningGateway {
  /** Addresses a client on this machine can use; `https` is absent where TLS is off. */
  readonly urls: { readonly http: string; readonly https?: string };
  /** The base URL of each surface over plain HTTP. */
  surfaces(): Readonly<Record<SurfaceName, string>>;
  /** Names of the plugins a request passes, by surface. */
  order(): Pipeline['order'];
  /**
   * Sets up a new pipeline. Host and ports stay as they are.
   *
   * @throws StartError; then nothing has changed
   */
  prepare(next: GatewayConfig): Promise<PreparedConfig>;
  /** Counts a wrong key or token that another process of the machine saw. */
  failedAttempt(group: string): void;
  /** Open connections, and the digest of the configuration that applies. */
  facts(): { readonly connections: number; readonly digest: string | undefined };
  /** Ends the block of an address that sent too many wrong keys; false where it was not blocked. */
  unblock(address: string): boolean;
  /** How long a shutdown may take: `drainSeconds`. */
  readonly drainMilliseconds: number;
  /** Stops accepting, lets running requests finish within the time, disposes of the plugins. Core stays open. */
  close(drainMilliseconds?: number): Promise<void>;
}

/**
 * Starts the gateway in front of a core.
 *
 * @throws StartError, after closing what it had opened
 */
export async function serve(options: GatewayOptions): Promise<RunningGateway> {
  const { core, clock = systemClock, registry = new Registry(), logFor } = options;
  const { host, port, tlsPort, dataDir, vendor } = options.settings;
  const log = logFor('gateway');
  // Log and metrics have the name of the plugin whose settings apply.
  const { group, redis } = options;
  const failedAttempts = new AttemptCounter(
    { clock, log: logFor('auth'), metrics: makeMetrics('auth', registry) },
    group?.failedAttempt,
  );
  const { process = processIdentity(options.settings) } = options;
  const parts = {
    core,
    clock,
    ids: randomIds,
    vendor,
    registry,
    failedAttempts,
    states: new Map(),
    logFor,
    process,
    limiter: redis ? redis.limiter(group?.limiter ?? new LocalLimiter(clock)) : group?.limiter,
    callTotals: redis?.counts,
    metricsText: group?.metrics,
  };
  const open: Listener[] = [];
  const loaded = { at: clock.now(), times: 0, digest: options.digest };
  let { drainSeconds, stopNoticeSeconds } = options.settings;
  let isListening = false;
  let isClosing = false;

  const build = ({ settings, plugins, pluginSettings }: GatewayConfig) =>
    buildPipeline({
      plugins,
      pipeline: settings.pipeline,
      settings: pluginSettings,
      resolve: requestResolver(settings),
      parts,
      health: () => gatewayHealth(open, loaded, { isListening }, { group, redis }),
    });
  const certificateFor = (settings: Settings) =>
    loadCertificate(settings.tls, { dataDir, names: certificateNames(settings), now: clock.now() });

  const pipeline = livePipeline(await build(options), async () => {
    await Promise.all(open.map((listener) => listener.settled()));
  });
  async function close(drainMilliseconds: number): Promise<void> {
    isClosing = true;
    pipeline.stopping();
    const notice = isListening ? Math.min(stopNoticeSeconds * 1000, drainMilliseconds / 2) : 0;
    if (notice > 0) {
      for (const listener of open) listener.closeConnections();
      await pause(notice);
    }
    await Promise.all(open.map((listener) => listener.close(drainMilliseconds - notice)));
    // Destroyed responses close just after their connections; `onResponse` still runs for them.
    await setImmediate();
    await pipeline.dispose();
  }
  try {
    const common: Omit<ListenOptions, 'port'> = {
      host,
      limits: limitsOf(options),
      handle: pipeline.handle,
      newId: randomIds.newId,
      onRefused: (fields) => log.debug(fields, 'A malformed request was refused.'),
      onServerError: (error) => log.error({ error }, 'A listener failed.'),
    };
    const certificate = tlsPort === 0 ? undefined : await certificateFor(options.settings);
    open.push(await listenHttp({ ...common, port }));
    if (certificate) open.push(await listenHttps({ ...common, port: tlsPort, certificate }));
    isListening = true;
  } catch (error) {
    await close(0);
    throw error;
  }
  gatewayMetrics(parts.registry, open, () => pipeline.report());
  let { settings, entries = [] } = options;
  core.onReport?.((request) => gatewayReport({ process, pipeline, entries, registry }, request));
  const [http, https] = open;
  return {
    urls: { http: http!.url, ...(https && { https: https.url }) },
    surfaces: () => surfaceUrls(settings, http!.url),
    order: () => pipeline.order,
    async prepare(next) {
      const certificate = tlsPort === 0 ? undefined : await certificateFor(next.settings);
      const built = await build(next);
      if (isClosing) {
        await built.dispose();
        throw new StartError('The service is stopping.');
      }
      return {
        // Nothing waits and nothing fails: the certificate was checked.
        apply() {
          if (isClosing) return void built.dispose();
          for (const listener of open) listener.update(limitsOf(next), certificate);
          pipeline.replace(built);
          ({ settings } = next);
          ({ drainSeconds, stopNoticeSeconds } = settings);
          loaded.at = clock.now();
          loaded.times += 1;
          loaded.digest = next.digest;
          entries = next.entries ?? [];
        },
        discard: () => built.dispose(),
      };
    },
    failedAttempt: (address) => failedAttempts.count(address),
    facts: () => ({
      connections: open.reduce((sum, listener) => sum + listener.connections, 0),
      digest: loaded.digest,
    }),
    unblock: (address) => failedAttempts.unblock(address),
    get drainMilliseconds() {
      return drainSeconds * 1000;
    },
    close: (drainMilliseconds = drainSeconds * 1000) => close(drainMilliseconds),
  };
}

function limitsOf({ pluginSettings }: GatewayConfig): ServerLimits {
  return serverLimits(limitSettings.parse(pluginSettings['limits'] ?? {}));
}

function surfaceUrls(settings: Settings, base: string): ReturnType<RunningGateway['surfaces']> {
  const entries = SURFACES.map((name) => {
    const { publicUrl, prefix } = settings.surfaces[name];
    return [name, publicUrl ?? base + prefix];
  });
  return Object.fromEntries(entries) as Record<SurfaceName, string>;
}

/** Every name and address by which a client on this machine or the local network may reach the service. */
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
    ...(everywhere ? own : [settings.host]),
  ];
}
