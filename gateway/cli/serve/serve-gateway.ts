import { fileURLToPath } from 'node:url';
import { programFolder } from '../../../config/program-folder.ts';
import { makeFolder } from '../../../core/storage/make-folder.ts';
import { gatewayBanner } from '../banner.ts';
import type { Call } from '../command.ts';
import type { Configured } from '../configure.ts';
import { relaxHeapLimit } from '../heap-limit.ts';
import { refuseSecondOwner } from '../owner-socket.ts';
import type { Terminal } from '../terminal.ts';
import { configureAgain, runUntilStopped, type ServeRole } from './serve-role.ts';

/** Not part of the build. */
const PROGRAM = fileURLToPath(new URL('gateway/cli/gateway-process.cjs', programFolder()));

export const serveGateway: ServeRole = async (configured, call, signals) => {
  const { dataDir, cores, gateway } = configured.config.settings;
  await makeFolder(dataDir);
  await refuseSecondOwner(dataDir, 'gateway');
  const running = await (gateway.processes === 1 ? startOne(configured) : startSeveral(configured, call));
  const reload = (to: Terminal) => running.reload(configureAgain(call, to));
  const run = call.runnerFor({ role: 'gateway', reload, unblock: running.unblock });
  const { urls, surfaces } = running;
  const lines = gatewayBanner({ urls, surfaces, cores, processes: gateway.processes });
  await runUntilStopped({ role: 'gateway', service: running, dataDir, run, reload, lines }, call, signals);
};

async function startOne(configured: Configured) {
  const { startGateway } = await import('../../roles/gateway.ts');
  const running = await startGateway(configured);
  relaxHeapLimit();
  return {
    ...running,
    surfaces: running.surfaces(),
    unblock: async (address: string) => running.unblock(address),
  };
}

async function startSeveral({ config }: Configured, { configFolder }: Call) {
  const { startGateways } = await import('../../roles/gateways.ts');
  return startGateways({ config, configFolder, program: PROGRAM });
}
