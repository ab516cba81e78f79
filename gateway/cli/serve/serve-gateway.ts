import { makeFolder } from '../../../core/storage/make-folder.ts';
import { type RunningGatewayRole, startGateway } from '../../roles/gateway.ts';
import { gatewayBanner } from '../banner.ts';
import { openOwnerSocket, refuseSecondOwner } from '../owner-socket.ts';
import type { Terminal } from '../terminal.ts';
import { configureAgain, printLines, type ServeRole, untilStopped } from './serve-role.ts';

export const serveGateway: ServeRole = async (configured, call, signals) => {
  const {
    dataDir,
    cores,
    gateway: { processes },
  } = configured.config.settings;
  const { terminal } = call;
  await makeFolder(dataDir);
  await refuseSecondOwner(dataDir, 'gateway');
  const gateway: RunningGatewayRole = await startGateway(configured);
  const reload = (to: Terminal) => gateway.reload(configureAgain(call, to));
  const unblock = async (address: string) => gateway.unblock(address);
  const socket = await openOwnerSocket(
    dataDir,
    call.runnerFor({ role: 'gateway', reload, unblock }),
    'gateway',
  );
  // The log has the error already.
  signals.onReload(() => reload(terminal).catch(() => {}));
  const { urls, surfaces } = gateway;
  printLines(terminal, gatewayBanner({ urls, surfaces, cores, processes }));
  await untilStopped(signals, terminal);
  await socket.close();
  await gateway.close();
};
