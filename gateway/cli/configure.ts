import type { Config, PluginSchemas } from '../../config/load-config.ts';
import { StartError } from '../../config/start-error.ts';
import type { Plugin } from '../../plugins/contract.ts';
import type { PluginOrder } from '../pipeline/plugin-order.ts';
import type { Call, ServiceControls } from './command.ts';

export interface Configured {
  readonly config: Config;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
}

const known = new WeakMap<Call, Promise<Configured>>();

/**
 * The settings of a command, read once for each call. Prints warnings, for example about unknown variables of the
 * environment, on stderr.
 *
 * @throws ConfigError with all problems, those of plugins that cannot be loaded included
 */
export function configure(call: Call): Promise<Configured> {
  const configured = known.get(call) ?? load(call);
  known.set(call, configured);
  return configured;
}

async function load(call: Call): Promise<Configured> {
  const { loadConfig } = await import('../../config/load-config.ts');
  const { plugins: builtIn } = await import('../../plugins/registry.ts');
  const { loadPlugins } = await import('../pipeline/load-plugins.ts');
  let plugins: readonly Plugin[] = builtIn;
  const config = await loadConfig(
    { folder: call.configFolder, environment: call.environment, flags: call.flags },
    async (own, reject) => {
      plugins = [...builtIn, ...(await loadPlugins(own, reject, call.configFolder, builtIn))];
      return schemasOf(plugins);
    },
  );
  for (const warning of config.warnings) call.terminal.err(warningLine(warning));
  return { config, plugins };
}

export function warningLine(warning: string): string {
  return `headwater: ${warning}`;
}

/** @throws StartError where this process is no running service; `consequence` ends its sentence */
export async function runningService(call: Call, consequence: string): Promise<ServiceControls> {
  if (call.service !== undefined) return call.service;
  const { dataDir } = (await configure(call)).config.settings;
  throw new StartError(`No service runs on the data folder ${dataDir}, so ${consequence}.`);
}

/** @throws StartError where plugins contradict each other or the settings */
export async function pluginOrderOf({ config, plugins }: Configured): Promise<PluginOrder> {
  const { orderPlugins } = await import('../pipeline/plugin-order.ts');
  return orderPlugins(plugins, config.settings.pipeline);
}

export function schemasOf(plugins: readonly Plugin[]): PluginSchemas {
  return Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin.settings]));
}
