import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectFacts } from '../../../core/access/projects.ts';
import { startAll } from '../../roles/all.ts';
import { banner } from '../banner.ts';
import { KEYS_FILE, loadSampleOnce, offerFirstSignIn } from '../first-run.ts';
import { refuseSecondOwner } from '../owner-socket.ts';
import type { Terminal } from '../terminal.ts';
import { configureAgain, runUntilStopped, type ServeRole } from './serve-role.ts';

export const serveAll: ServeRole = async ({ config, plugins }, call, signals) => {
  const { settings } = config;
  let sampleProject: ProjectFacts | undefined;
  await refuseSecondOwner(settings.dataDir, 'all');
  const service = await startAll({
    config,
    plugins,
    async beforeListening({ operations }) {
      if (settings.sample) sampleProject = await loadSampleOnce(operations, settings.dataDir);
    },
  });
  const reload = (to: Terminal) => service.reload(configureAgain(call, to));
  const controls = {
    role: settings.role,
    reload,
    unblock: async (address: string) => service.unblock(address),
    consoleUrl: () => service.surfaces().console,
  };
  const run = call.runnerFor(controls, service.core.operations);
  const keysFile = join(settings.dataDir, KEYS_FILE);
  const lines = banner({
    urls: service.urls,
    surfaces: service.surfaces(),
    sampleProject,
    keysFile: existsSync(keysFile) ? keysFile : undefined,
    adminTokenFile: settings.adminToken === undefined ? join(settings.dataDir, 'admin-token') : null,
  });
  const { role, dataDir } = settings;
  const offerSignIn = async () => {
    if (call.terminal.isInteractive) await offerFirstSignIn(call, controls, service.core.operations);
  };
  await runUntilStopped({ role, service, dataDir, run, reload, lines, offerSignIn }, call, signals);
};
