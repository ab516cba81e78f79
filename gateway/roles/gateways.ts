import type { Config } from '../../config/load-config.ts';
import { createLog, logFor } from '../log.ts';
import { processIdentity } from '../process-identity.ts';
import type { ServingFacts } from '../processes/process-calls.ts';
import { superviseGateways } from '../processes/supervisor.ts';
import { makeReloads, type Reloads } from './reload.ts';

export interface RunningGateways extends ServingFacts {
  /** Applies the settings that can change while requests run, in all processes or in none. */
  reload: Reloads['reload'];
  unblock(address: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Several gateway processes of this machine behind the same ports.
 *
 * @throws StartError, after ending those that run
 */
export async function startGateways(options: {
  readonly config: Config;
  /** Folder of the operator's files. */
  readonly configFolder: string | undefined;
  /** The program of the processes. */
  readonly program: string;
}): Promise<RunningGateways> {
  const { settings } = options.config;
  const logs = logFor(createLog(settings.logLevel, processIdentity(settings)));
  const supervisor = await superviseGateways({ ...options, log: logs('supervisor') });
  let { drainSeconds } = settings;
  const reloads = makeReloads(
    async ({ config }) => {
      const { apply, discard } = await supervisor.prepare(config);
      return {
        async apply() {
          await apply();
          drainSeconds = config.settings.drainSeconds;
        },
        discard,
      };
    },
    logs,
    options.config,
  );
  return {
    urls: supervisor.urls,
    surfaces: supervisor.surfaces,
    reload: reloads.reload,
    unblock: supervisor.unblock,
    async close() {
      await reloads.end();
      await supervisor.close(drainSeconds * 1000);
    },
  };
}
