import type { Config } from '../../config/load-config.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import type { Plugin } from '../../plugins/contract.ts';
import { createLog, logFor } from '../log.ts';
import { openRedis, type SharedRedis } from '../redis/open-redis.ts';
import { type RunningGateway, serve } from '../serve.ts';
import { coreShare, openCore } from './open-core.ts';
import { OwnState } from './own-state.ts';
import { gatewayConfig, makeReloads, type Reloads } from './reload.ts';

export type RunningService = Omit<RunningGateway, 'close' | 'prepare'> & {
  readonly core: RunningCore;
  /** Applies the settings that can change while requests run. */
  reload: Reloads['reload'];
  /** Drains the gateway, then closes core. */
  close(): Promise<void>;
};

/**
 * Runs everything in one process: gateway and core, SQLite and files in the data folder.
 *
 * @throws StartError, after closing what it had opened
 */
export async function startAll(options: {
  readonly config: Config;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
  /** Runs before the first request, for example to load the sample project. */
  readonly beforeListening?: (core: RunningService['core']) => Promise<void>;
}): Promise<RunningService> {
  const { settings } = options.config;
  const state = new OwnState(options.config, null);
  const logs = logFor(createLog(settings.logLevel, state.identity));
  const opened = await openCore(settings, logs, state.report);
  const { core, registry } = opened;
  let redis: SharedRedis | undefined;
  try {
    redis = await openRedis(settings, logs, registry);
    await redis?.claim(() => core.installation);
    await options.beforeListening?.(core);
    const gateway = await serve({
      ...gatewayConfig(options),
      core,
      registry,
      logFor: logs,
      process: state.identity,
      redis,
    });
    state.address = gateway.urls.http;
    const reloads = makeReloads((next) => gateway.prepare(gatewayConfig(next)), logs, options.config);
    state.reloads = reloads;
    return {
      ...gateway,
      core,
      reload: reloads.reload,
      async close() {
        const { drainMilliseconds } = gateway;
        const ends = performance.now() + drainMilliseconds;
        await reloads.end();
        await gateway.close(drainMilliseconds - coreShare(drainMilliseconds));
        await redis?.close();
        await opened.close(ends - performance.now());
      },
    };
  } catch (error) {
    await redis?.close();
    await opened.close();
    throw error;
  }
}
