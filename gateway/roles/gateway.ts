import { Registry } from 'prom-client';
import type { Config } from '../../config/load-config.ts';
import { StartError } from '../../config/start-error.ts';
import { connectCore } from '../../core/remote/client/connect-core.ts';
import { PROTOCOL } from '../../core/remote/protocol/wire.ts';
import type { Plugin } from '../../plugins/contract.ts';
import { createLog, logFor } from '../log.ts';
import type { ProcessGroup } from '../processes/process-group.ts';
import { readAuthority } from '../read-authority.ts';
import { openRedis } from '../redis/open-redis.ts';
import { type RunningGateway, serve } from '../serve.ts';
import { coreClientMetrics } from './core-client-metrics.ts';
import { OwnState } from './own-state.ts';
import { gatewayConfig, makeReloads, type Reloads } from './reload.ts';

export type RunningGatewayRole = Omit<RunningGateway, 'close' | 'prepare'> & {
  readonly registry: Registry;
  /** Apply the settings that can change while requests run. */
  reload: Reloads['reload'];
  prepare: Reloads['prepare'];
  close(): Promise<void>;
};

/**
 * Listeners, plugins and caches in front of cores in other processes; opens no database.
 *
 * @throws StartError, after closing what it had opened
 */
export async function startGateway(options: {
  readonly config: Config;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
  /** The other gateway processes of the machine. */
  readonly group?: ProcessGroup | undefined;
}): Promise<RunningGatewayRole> {
  const { settings } = options.config;
  const { cores, internalToken, internalTls } = settings;
  if (internalToken === null)
    throw new StartError('A gateway needs the secret that it shares with cores: internalToken.');
  if (cores.length === 0) throw new StartError('A gateway needs the addresses of its cores: cores.');
  const state = new OwnState(options.config, PROTOCOL);
  const logs = logFor(createLog(settings.logLevel, state.identity));
  const certificateAuthority = await readAuthority('internalTls', internalTls.certificateAuthority);
  const registry = new Registry();
  const redis = await openRedis(settings, logs, registry);
  const core = connectCore({
    cores,
    token: internalToken,
    certificateAuthority,
    process: state.report,
    stream: redis?.stream,
    log: logs('core'),
  });
  coreClientMetrics(registry, core);
  try {
    await core.greeted().catch((error: Error) => {
      throw new StartError(error.message, { cause: error });
    });
    await redis?.claim(core.installation);
    const gateway = await serve({
      ...gatewayConfig(options),
      core,
      registry,
      logFor: logs,
      process: state.identity,
      group: options.group,
      redis,
    });
    state.address = gateway.urls.http;
    const reloads = makeReloads((next) => gateway.prepare(gatewayConfig(next)), logs, options.config);
    state.reloads = reloads;
    return {
      ...gateway,
      registry,
      reload: reloads.reload,
      prepare: reloads.prepare,
      async close() {
        await reloads.end();
        await gateway.close();
        await core.close();
        await redis?.close();
      },
    };
  } catch (error) {
    await core.close();
    await redis?.close();
    throw error;
  }
}
