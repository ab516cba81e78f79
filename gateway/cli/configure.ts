import { type Config, loadConfig, type PluginSchemas } from '../../config/load-config.ts';
import type { Plugin } from '../../plugins/contract.ts';
import { plugins as builtIn, PIPELINE } from '../../plugins/registry.ts';
import { loadPlugins } from '../pipeline/load-plugins.ts';
import { orderPlugins, type PluginOrder } from '../pipeline/plugin-order.ts';
import type { Call } from './command.ts';

export interface Configured {
  readonly config: Config;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
}

export const planned: readonly string[] = PIPELINE.flatMap((entry) =>
  'planned' in entry ? [entry.planned] : [],
);

/**
 * The settings a command runs with. Names in the environment that are no setting are told on stderr.
 *
 * @throws ConfigError with everything that is wrong, plugins that cannot be loaded included
 */
export async function configure(call: Call): Promise<Configured> {
  let plugins: readonly Plugin[] = builtIn;
  const config = await loadConfig(
    { folder: call.configFolder, environment: call.environment, flags: call.flags },
    async (own, reject) => {
      plugins = [...builtIn, ...(await loadPlugins(own, reject, call.configFolder))];
      return schemasOf(plugins);
    },
  );
  for (const warning of config.warnings) call.terminal.err(`headwater: ${warning}`);
  return { config, plugins };
}

/** @throws StartError where plugins contradict each other or the settings */
export function pluginOrderOf({ config, plugins }: Configured): PluginOrder {
  return orderPlugins(plugins, config.settings.pipeline, planned);
}

export function schemasOf(plugins: readonly Plugin[]): PluginSchemas {
  return Object.fromEntries(plugins.map((plugin) => [plugin.name, plugin.settings]));
}
