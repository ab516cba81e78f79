import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectFacts } from '../../../core/access/projects.ts';
import { startCore } from '../../roles/core.ts';
import { KEYS_FILE, loadSampleOnce } from '../first-run.ts';
import { relaxHeapLimit } from '../heap-limit.ts';
import { refuseSecondOwner } from '../owner-socket.ts';
import { type Terminal, table } from '../terminal.ts';
import { configureAgain, runUntilStopped, type ServeRole } from './serve-role.ts';

export const serveCore: ServeRole = async ({ config }, call, signals) => {
  const { settings } = config;
  let sampleProject: ProjectFacts | undefined;
  await refuseSecondOwner(settings.dataDir, 'core');
  const service = await startCore(config, async ({ operations }) => {
    if (settings.sample) sampleProject = await loadSampleOnce(operations, settings.dataDir);
  });
  relaxHeapLimit();
  const reload = (to: Terminal) => service.reload(configureAgain(call, to));
  const controls = { role: settings.role, reload, consoleUrl: service.consoleUrl };
  const run = call.runnerFor(controls, service.core.operations);
  const keysFile = join(settings.dataDir, KEYS_FILE);
  const tokenFile = join(settings.dataDir, 'admin-token');
  const lines = [
    `Headwater runs as a core at ${service.address}.`,
    '',
    ...table([
      ['  health', healthCall(service.address)],
      ...(sampleProject ? [['  sample project', sampleProject.id]] : []),
      ...(existsSync(keysFile) ? [['  preview keys', keysFile]] : []),
      ['  admin token', settings.adminToken === undefined ? tokenFile : 'as configured'],
      [
        '  next',
        `HEADWATER_ROLE=gateway HEADWATER_CORES=${service.address} HEADWATER_DATA_DIR=… npx headwater serve, with the same HEADWATER_INTERNAL_TOKEN`,
      ],
    ]),
    '',
  ];
  const { role, dataDir } = settings;
  await runUntilStopped({ role, service, dataDir, run, reload, lines }, call, signals);
};

function healthCall(address: string): string {
  if (address.startsWith('unix:'))
    return `curl -s --unix-socket ${address.slice(5)} http://core/health/ready`;
  return `curl -s ${address.startsWith('https://') ? '' : 'http://'}${address}/health/ready`;
}
