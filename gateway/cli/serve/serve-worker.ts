import { makeFolder } from '../../../core/storage/make-folder.ts';
import { isGiven, startWorker } from '../../roles/worker.ts';
import { refuseSecondOwner } from '../owner-socket.ts';
import type { Terminal } from '../terminal.ts';
import { configureAgain, runUntilStopped, type ServeRole } from './serve-role.ts';

export const serveWorker: ServeRole = async ({ config }, call, signals) => {
  const { dataDir } = config.settings;
  // A worker keeps no data: it has a folder, and with it commands, only where the operator names one.
  const hasFolder = isGiven(config, 'dataDir');
  if (hasFolder) {
    await makeFolder(dataDir);
    await refuseSecondOwner(dataDir, 'worker');
  }
  const worker = await startWorker(config);
  const reload = (to: Terminal) => worker.reload(configureAgain(call, to));
  const run = call.runnerFor({ role: 'worker', reload });
  const lines = [
    `Headwater transforms images for other services at ${worker.address}.`,
    ...(worker.probes === undefined ? [] : [`It answers ${worker.probes}/health/ready.`]),
  ];
  const folder = hasFolder ? dataDir : undefined;
  await runUntilStopped(
    { role: 'worker', service: worker, dataDir: folder, run, reload, lines },
    call,
    signals,
  );
};
