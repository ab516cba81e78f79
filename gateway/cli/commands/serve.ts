import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listenForSignals } from '../../signals.ts';
import { StartError } from '../../start-error.ts';
import { banner } from '../banner.ts';
import type { Command } from '../command.ts';
import { configure } from '../configure.ts';
import { KEYS_FILE, loadSampleOnce } from '../first-run.ts';
import { openOwnerSocket } from '../owner-socket.ts';
import type { Terminal } from '../terminal.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Runs the service until SIGTERM or Ctrl-C, then lets running requests finish.',
  details:
    'The first start makes the data folder, a self-signed certificate and an admin token, and loads the\n' +
    'sample project (unless HEADWATER_SAMPLE=false). A second signal ends it at once. SIGHUP reads the\n' +
    'configuration again, like the command reload.',
  options: {},
  async run({ terminal, ...call }) {
    const { config, plugins } = await configure({ terminal, ...call });
    const { settings } = config;
    // First of all, so that a signal also stops a service that is still starting.
    const signals = listenForSignals();
    // Loaded only here, so that other commands start without the HTTP server.
    if (settings.role === 'worker') {
      const { startWorker } = await import('../../roles/worker.ts');
      const worker = await startWorker(settings);
      terminal.out(`Headwater transforms pictures for other services at ${worker.address}.`);
      await signals.stop;
      await worker.close();
      return 0;
    }
    if (settings.role !== 'all') throw new StartError(`This version cannot run the role ${settings.role}.`);
    let sampleProject: string | undefined;
    const { startAll } = await import('../../roles/all.ts');
    const service = await startAll({
      config,
      plugins,
      async beforeListening({ operations }) {
        if (settings.sample) sampleProject = await loadSampleOnce(operations, settings.dataDir);
      },
    });
    const reload = (to: Terminal) => service.reload(() => configure({ ...call, terminal: to }));
    const controls = { reload, unblock: service.unblock };
    const socket = await openOwnerSocket(settings.dataDir, call.runnerFor(service.core.operations, controls));
    // The log has the error already.
    signals.onReload(() => reload(terminal).catch(() => {}));
    const keysFile = join(settings.dataDir, KEYS_FILE);
    const lines = banner({
      urls: service.urls,
      surfaces: service.surfaces,
      sampleProject,
      keysFile: existsSync(keysFile) ? keysFile : undefined,
      adminTokenFile: settings.adminToken === undefined ? join(settings.dataDir, 'admin-token') : null,
    });
    for (const line of lines) terminal.out(line);
    const signal = await signals.stop;
    terminal.err(`${signal}: letting running requests finish.`);
    await socket.close();
    await service.close();
    return 0;
  },
};
