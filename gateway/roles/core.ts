import type { Config } from '../../config/load-config.ts';
import { StartError } from '../../config/start-error.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { PROTOCOL } from '../../core/remote/protocol/wire.ts';
import { serveCore } from '../../core/remote/server/serve-core.ts';
import { registerProcessMetrics } from '../../plugins/counters/process-metrics.ts';
import { configuredCertificate } from '../listeners/certificate.ts';
import { listenError } from '../listeners/listen-error.ts';
import { createLog, logFor } from '../log.ts';
import { coreReport } from './core-report.ts';
import { coreServerMetrics } from './core-server-metrics.ts';
import { coreShare, openCore } from './open-core.ts';
import { OwnState } from './own-state.ts';
import { makeReloads, type Reloads } from './reload.ts';

export interface RunningCoreRole {
  readonly core: RunningCore;
  /** Where gateways reach it. */
  readonly address: string;
  /** Of its gateways; undefined where the settings do not say it. */
  consoleUrl(): string | undefined;
  /** Applies the settings that can change while requests run. */
  reload: Reloads['reload'];
  close(): Promise<void>;
}

/**
 * Core with its database, for gateways in other processes.
 *
 * @throws StartError, after closing what it had opened
 */
export async function startCore(
  config: Config,
  /** Runs before the first request, for example to load the sample project. */
  beforeListening?: (core: RunningCore) => Promise<void>,
): Promise<RunningCoreRole> {
  const { settings } = config;
  const { internalTls, internalToken, listen } = settings;
  let { drainSeconds, surfaces } = settings;
  let { entries } = config;
  if (internalToken === null)
    throw new StartError('A core needs the secret that it shares with gateways: internalToken.');
  const state = new OwnState(config, PROTOCOL);
  const logs = logFor(createLog(settings.logLevel, state.identity));
  const tls = await configuredCertificate(internalTls);
  const opened = await openCore(settings, logs, state.report);
  const { core, registry } = opened;
  try {
    await beforeListening?.(core);
    const server = await serveCore({
      core,
      token: internalToken,
      installation: core.installation,
      listen,
      tls,
      metrics: async () => ({ type: registry.contentType, text: await registry.metrics() }),
      self: state.report,
      slowMilliseconds: settings.slowMilliseconds,
      log: logs('core'),
    }).catch((error: Error) => {
      throw listenError(listen, 'HEADWATER_LISTEN', error);
    });
    state.address = server.address;
    coreServerMetrics(registry, server, core);
    core.onCoreReport(() =>
      coreReport({
        process: state.identity,
        entries,
        calls: server.calls,
        health: () => core.health(),
      }),
    );
    registerProcessMetrics(registry);
    const reloads = makeReloads(
      async ({ config: next }) => ({
        apply() {
          ({ drainSeconds, surfaces } = next.settings);
          entries = next.entries;
        },
        discard: async () => {},
      }),
      logs,
      config,
    );
    state.reloads = reloads;
    return {
      core,
      address: server.address,
      consoleUrl: () => surfaces.console.publicUrl ?? undefined,
      reload: reloads.reload,
      async close() {
        await reloads.end();
        const milliseconds = drainSeconds * 1000;
        const ends = performance.now() + milliseconds;
        await server.close(milliseconds - coreShare(milliseconds));
        await opened.close(ends - performance.now());
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
