import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '../../../config/role-settings.ts';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { listenForSignals, type Signals } from '../../signals.ts';
import { banner } from '../banner.ts';
import type { Call, Command } from '../command.ts';
import { type Configured, configure } from '../configure.ts';
import { KEYS_FILE, loadSampleOnce } from '../first-run.ts';
import { openOwnerSocket } from '../owner-socket.ts';
import type { Terminal } from '../terminal.ts';

/** Ends when the service has stopped. */
type Run = (configured: Configured, call: Call, signals: Signals) => Promise<void>;

export const serve: Command = {
  name: 'serve',
  summary: 'Runs the service until SIGTERM or Ctrl-C, then lets running requests finish.',
  details:
    'The first start makes the data folder, a self-signed certificate and an admin token, and loads the\n' +
    'sample project (unless HEADWATER_SAMPLE=false). A second signal ends it at once. SIGHUP reads the\n' +
    'configuration again, like the command reload. HEADWATER_ROLE chooses what the process does: all,\n' +
    'gateway, core or worker.',
  options: {},
  async run(call) {
    const configured = await configure(call);
    // First of all, so that a signal also stops a service that is still starting.
    const signals = listenForSignals();
    await ROLES[configured.config.settings.role](configured, call, signals);
    return 0;
  },
};

/** Each loads what it needs when it runs: a gateway no database, other commands no HTTP server. */
const ROLES: Readonly<Record<Role, Run>> = {
  async all({ config, plugins }, { terminal, ...call }, signals) {
    const { settings } = config;
    let sampleProject: string | undefined;
    const { startAll } = await import('../../roles/all.ts');
    const service = await startAll({
      config,
      plugins,
      async beforeListening(core) {
        if (settings.sample) sampleProject = await loadSample(core, settings.dataDir);
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
    await stopped(signals, terminal);
    await socket.close();
    await service.close();
  },

  async gateway({ config, plugins }, { terminal, ...call }, signals) {
    const { startGateway } = await import('../../roles/gateway.ts');
    const gateway = await startGateway({ config, plugins });
    const reload = () => gateway.reload(() => configure({ ...call, terminal }));
    signals.onReload(() => reload().catch(() => {}));
    const { http, https } = gateway.urls;
    terminal.out(`Headwater runs as a gateway at ${http}${https ? ` and ${https}` : ''}.`);
    await stopped(signals, terminal);
    await gateway.close();
  },

  async core({ config: { settings } }, { terminal, ...call }, signals) {
    const { startCore } = await import('../../roles/core.ts');
    const service = await startCore(settings, async (core) => {
      if (settings.sample) await loadSample(core, settings.dataDir);
    });
    const refuse = async () => {
      throw new Error('A core cannot do this.');
    };
    const controls = { reload: refuse, unblock: () => false };
    const socket = await openOwnerSocket(settings.dataDir, call.runnerFor(service.core.operations, controls));
    terminal.out(`Headwater runs as a core at ${service.address}.`);
    await stopped(signals, terminal);
    await socket.close();
    await service.close();
  },

  async worker({ config: { settings } }, { terminal }, signals) {
    const { startWorker } = await import('../../roles/worker.ts');
    const worker = await startWorker(settings);
    terminal.out(`Headwater transforms pictures for other services at ${worker.address}.`);
    await stopped(signals, terminal);
    await worker.close();
  },
};

/** @returns the id of the sample project */
function loadSample({ operations }: RunningCore, dataDir: string): Promise<string | undefined> {
  return loadSampleOnce(operations, dataDir);
}

async function stopped(signals: Signals, terminal: Terminal): Promise<void> {
  const signal = await signals.stop;
  terminal.err(`${signal}: letting running requests finish.`);
}
