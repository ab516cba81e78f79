/**
 * Which changed settings a reload applies. Those of the process, of core and of the listeners wait for a restart; all
 * others apply at once.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Config, ConfigEntry } from './load-config.ts';

export interface LiveConfig {
  /** The loaded configuration, with the running value of every setting that needs a restart. */
  readonly config: Config;
  /** Paths of settings that changed and apply now. */
  readonly changed: readonly string[];
  /** Settings that changed and need a restart. */
  readonly waiting: readonly ConfigEntry[];
}

export function liveConfig(running: Config, loaded: Config): LiveConfig {
  const before = new Map(running.entries.map((entry) => [entry.path, entry]));
  const { role } = running.settings;
  const differing = loaded.entries.filter((entry) => {
    // Processes of other roles share the files.
    if (entry.roles?.includes(role) === false) return false;
    const old = before.get(entry.path);
    return old === undefined || !isDeepStrictEqual(old.value, entry.value);
  });
  const waiting = differing.filter(({ path, live }) => !live && before.has(path));
  const settings = structuredClone(loaded.settings);
  const plugins = structuredClone(loaded.plugins) as Record<string, unknown>;
  for (const { path } of waiting) {
    const { value } = before.get(path)!;
    const [first = '', ...rest] = path.split('.');
    if (first === 'plugins') set(plugins, rest, value);
    else set(settings, [first, ...rest], value);
  }
  const kept = new Set(waiting.map(({ path }) => path));
  const removed = [...before.keys()].filter((path) => !loaded.entries.some((entry) => entry.path === path));
  return {
    config: {
      ...loaded,
      settings,
      plugins,
      entries: loaded.entries.map((entry) => (kept.has(entry.path) ? before.get(entry.path)! : entry)),
    },
    changed: [...differing.filter(({ path }) => !kept.has(path)).map(({ path }) => path), ...removed],
    waiting,
  };
}

function set(root: object, path: readonly string[], value: unknown): void {
  const holder = path.slice(0, -1).reduce((level, key) => (level as Record<string, object>)[key]!, root);
  (holder as Record<string, unknown>)[path.at(-1) ?? ''] = value;
}
