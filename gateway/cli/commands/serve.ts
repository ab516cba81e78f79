import type { Role } from '../../../config/role-settings.ts';
import { listenForSignals } from '../../signals.ts';
import type { Command } from '../command.ts';
import { configure } from '../configure.ts';
import type { ServeRole } from '../serve/serve-role.ts';

/** Each loads what its role needs: a gateway no database, a core no listeners. */
const ROLES: Readonly<Record<Role, () => Promise<ServeRole>>> = {
  all: async () => (await import('../serve/serve-all.ts')).serveAll,
  gateway: async () => (await import('../serve/serve-gateway.ts')).serveGateway,
  core: async () => (await import('../serve/serve-core.ts')).serveCore,
  worker: async () => (await import('../serve/serve-worker.ts')).serveWorker,
};

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
    // First of all, so that a signal also stops a service that is still starting.
    const signals = call.signals ?? listenForSignals();
    const configured = await configure(call);
    const serveRole = await ROLES[configured.config.settings.role]();
    await serveRole(configured, call, signals);
    return 0;
  },
};
