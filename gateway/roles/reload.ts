import { setTimeout as pause } from 'node:timers/promises';
import { configDigest } from '../../config/config-digest.ts';
import { liveConfig } from '../../config/live-settings.ts';
import type { Config, ConfigEntry } from '../../config/load-config.ts';
import { StartError } from '../../config/start-error.ts';
import type { Plugin } from '../../plugins/contract.ts';
import type { Logs } from '../log.ts';
import type { GatewayConfig, PreparedConfig } from '../serve.ts';

export interface Loaded {
  readonly config: Config;
  /** Built-in plugins and the operator's own. */
  readonly plugins: readonly Plugin[];
}

export interface Reloaded {
  /** Paths of the settings that changed and apply now. */
  readonly changed: readonly string[];
  /** Settings that changed and need a restart. */
  readonly waiting: readonly ConfigEntry[];
}

/** @throws ConfigError, StartError */
export type Load = () => Promise<Loaded>;

export interface Reloads {
  /**
   * Runs one reload at a time. Reads, validates and sets up everything before it swaps, so that an error changes
   * nothing. Logs the result.
   *
   * @throws what `load` throws, and StartError
   */
  reload(load: Load): Promise<Reloaded>;
  /** The first half of a reload, for a caller that applies or discards it before the next one. */
  prepare(load: Load): Promise<Reloaded & PreparedConfig>;
  /** Of the running configuration. */
  readonly digest: string;
  /** Allows no further reload; waits for the running one, but not for a slow plugin. */
  end(): Promise<void>;
}

/** For a running reload at a shutdown; a later end of it disposes of what it has set up. */
const LONGEST_WAIT_MS = 1000;

/** @param prepareRole sets up what the role makes of a configuration */
export function makeReloads(
  prepareRole: (next: Loaded) => Promise<PreparedConfig>,
  logs: Logs,
  started: Config,
): Reloads {
  const log = logs('gateway');
  let running = started;
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;

  async function prepare(load: Load): Promise<Reloaded & PreparedConfig> {
    if (isOver) throw new StartError('The service is stopping.');
    try {
      const { config: loaded, plugins } = await load();
      const { config, changed, waiting } = liveConfig(running, loaded);
      const prepared = await prepareRole({ config, plugins });
      return {
        changed,
        waiting,
        async apply() {
          await prepared.apply();
          logs.setLevel(config.settings.logLevel);
          running = config;
          const names = waiting.map(({ path }) => path);
          if (names.length === 0) log.info({ changed }, 'The configuration was reloaded.');
          else
            log.warn(
              { changed, needsRestart: names },
              'The configuration was reloaded; some of it needs a restart.',
            );
        },
        discard: () => prepared.discard(),
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error({ reason }, 'The configuration was not reloaded; the service continues unchanged.');
      throw error;
    }
  }

  return {
    reload(load) {
      const result = last.then(() => prepare(load));
      last = result.then(
        (prepared) => prepared.apply(),
        () => {},
      );
      return last.then(() => result);
    },
    prepare,
    get digest() {
      return configDigest(running);
    },
    async end() {
      isOver = true;
      await Promise.race([last, pause(LONGEST_WAIT_MS, undefined, { ref: false })]);
    },
  };
}

export function gatewayConfig({ config, plugins }: Loaded): GatewayConfig {
  return {
    settings: config.settings,
    plugins,
    pluginSettings: config.plugins,
    entries: config.entries,
    digest: configDigest(config),
  };
}
