import type { Settings } from '../../config/schema.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { serveCore } from '../../core/remote/server/serve-core.ts';
import { createLog, logFor } from '../log.ts';
import { processIdentity } from '../process-identity.ts';
import { StartError } from '../start-error.ts';
import { coreShare, openCore } from './open-core.ts';

export interface RunningCoreRole {
  readonly core: RunningCore;
  /** Where gateways reach it. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Core with its database, for gateways in other processes.
 *
 * @throws StartError, after closing what it had opened
 */
export async function startCore(
  settings: Settings,
  /** Runs before the first request, for example to load the sample project. */
  beforeListening?: (core: RunningCore) => Promise<void>,
): Promise<RunningCoreRole> {
  const { internalToken, listen, drainSeconds } = settings;
  if (internalToken === null)
    throw new StartError('A core needs the secret that it shares with gateways: internalToken.');
  const identity = processIdentity(settings);
  const logs = logFor(createLog(settings.logLevel, identity));
  const opened = await openCore(settings, logs);
  const { core, registry } = opened;
  try {
    await beforeListening?.(core);
    const server = await serveCore({
      core,
      token: internalToken,
      listen,
      metrics: async () => ({ type: registry.contentType, text: await registry.metrics() }),
      slowMilliseconds: settings.slowMilliseconds,
      log: logs('core'),
    }).catch((error: Error) => {
      throw new StartError(`The core cannot listen at ${listen}: ${error.message}`, { cause: error });
    });
    return {
      core,
      address: server.address,
      async close() {
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
