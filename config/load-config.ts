/**
 * Settings in layers: defaults of the schemas < the operator's files < environment < flags. The result is frozen and
 * has the origin of each value; an error has all problems at once.
 */
import { dirname, isAbsolute, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { didYouMean, didYouMeanHint } from './did-you-mean.ts';
import { environmentName } from './environment.ts';
import { isPath, looseLevels } from './outline.ts';
import { overlay } from './overlay.ts';
import { ConfigError, type Origin, type Problem, problemText } from './problem.ts';
import { type LayerOptions, type Layers, readLayers } from './read-layers.ts';
import { GATEWAY_ROLES, type Role } from './role-settings.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { makeSection, originOf, problemAt, resolveSection, type Section } from './section.ts';

/** One effective setting. */
export interface ConfigEntry {
  /** `port`, `plugins.rate-limit.limits.second` */
  readonly path: string;
  readonly environmentName: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** The value must not be shown. */
  readonly secret: boolean;
  /** A file, folder or module, as an absolute path. */
  readonly isPath: boolean;
  /** A reload applies a change; otherwise it needs a restart. */
  readonly live: boolean;
  /** The roles that use it; undefined = all. */
  readonly roles: readonly string[] | undefined;
}

export interface Config {
  readonly settings: Settings;
  /** Settings by plugin name, validated by the plugin's schema. */
  readonly plugins: Readonly<Record<string, unknown>>;
  /**
   * Unknown variables, because an orchestrator may add names of its own, and settings that the role does not use, because
   * processes of several roles may share a folder of settings.
   */
  readonly warnings: readonly string[];
  readonly entries: readonly ConfigEntry[];
}

/** Schemas by plugin name; each must refuse unknown keys at every level. */
export type PluginSchemas = Readonly<Record<string, z.ZodType>>;

/** @param reject reports one of `own` with the rule that it breaks */
export type LoadPluginSchemas = (
  own: readonly string[],
  reject: (module: string, rule: string) => void,
) => PluginSchemas | Promise<PluginSchemas>;

/**
 * Validates everything and returns the frozen result.
 *
 * `pluginSchemas` may be a function: it receives the operator's own plugins (absolute paths and package names),
 * imports them, and returns the schemas of all plugins. It calls `reject` for a module that cannot be used, and
 * continues with the rest.
 *
 * @throws ConfigError with every problem found.
 * @example
 * const config = await loadConfig({ environment: process.env, folder: process.env.HEADWATER_CONFIG }, {});
 * config.settings.port; // 8080
 */
export async function loadConfig(
  options: LayerOptions,
  pluginSchemas: PluginSchemas | LoadPluginSchemas,
): Promise<Config> {
  const layers = readLayers(options);
  const main = makeSection([], settingsSchema, layers.main);
  const sections = new Map([['', main]]);
  overlay(layers, sections);
  const own = ownModules(layers, main);
  const problems = [...layers.problems];
  const rejected = new Map<string, string>();
  const modules = own.map(({ module }) => module);
  const schemas =
    typeof pluginSchemas === 'function'
      ? await pluginSchemas(modules, (module, rule) => void rejected.set(module, rule))
      : pluginSchemas;
  for (const { module, index } of own) {
    const rule = rejected.get(module);
    if (rule !== undefined) problems.push(problemAt(main, ['pipeline', 'own', index], rule));
  }
  problems.push(...unknownPlugins(main, Object.keys(schemas)));

  for (const [name, schema] of Object.entries(schemas)) {
    const section = makeSection(['plugins', name], schema, layers.plugins.get(name));
    const loose = looseLevels(section.node);
    if (loose.length > 0)
      throw new Error(`The schema of plugin ${name} takes unknown keys at ${loose.join(', ')}.`);
    sections.set(name, section);
  }
  // A plugin of the operator whose module cannot be loaded, or is named in a file that cannot be read, has settings too.
  const areAllKnown = rejected.size === 0 && !layers.main?.problems.length;
  for (const [name, file] of layers.plugins) {
    if (sections.has(name) || !areAllKnown) continue;
    const near = didYouMean(name, Object.keys(schemas));
    const rule = `is for no plugin; ${near ? `did you mean ${near}.yaml?` : `plugins: ${Object.keys(schemas).join(', ')}`}`;
    problems.push({ origin: { from: 'file', file: file.name, line: 1 }, path: '', rule });
  }
  const { warnings: warningsOf, problems: outside } = overlay(layers, sections);
  problems.push(...outside);

  const values = new Map<string, unknown>();
  for (const [name, section] of sections) {
    const resolved = resolveSection(section);
    for (const path of pathsOfObjects(resolved.value)) {
      const rule = 'must stay a text, a number, a list or a map: make other objects of it in setup';
      problems.push(problemAt(section, path, rule));
    }
    // A secret that could not be read is not reported as missing too.
    const isNew = ({ path }: Problem) => !outside.some((problem) => problem.path === path);
    problems.push(...resolved.problems.filter(isNew));
    values.set(name, resolved.value);
  }
  if (problems.length > 0) throw new ConfigError(problems);

  for (const [name, section] of sections) resolvePaths(layers, section, values.get(name));
  const entries = [...sections].flatMap(([name, section]) => entriesOf(section, values.get(name)));
  const { '': settings, ...plugins } = Object.fromEntries(values);
  const warnings = [...warningsOf(), ...unusedSettings(entries, (settings as Settings).role)];
  return deepFreeze({ settings: settings as Settings, plugins, warnings, entries });
}

/** The operator's own plugins, read before the other settings are validated. */
function ownModules(layers: Layers, main: Section): { module: string; index: number }[] {
  const own = (main.given['pipeline'] as { own?: unknown } | undefined)?.own;
  if (!Array.isArray(own)) return [];
  const base = baseOf(layers, originOf(main, ['pipeline', 'own']));
  return own.flatMap((entry, index) =>
    typeof entry === 'string' ? [{ module: modulePath(entry, base), index }] : [],
  );
}

/** Names in `pipeline` of no plugin. The schema reports values of another shape. */
function unknownPlugins(main: Section, known: readonly string[]): Problem[] {
  const { off, order, surfaces } = (main.given['pipeline'] ?? {}) as Record<string, unknown>;
  const named = [
    ...namesIn(off, ['pipeline', 'off']),
    ...Object.entries(isMap(order) ? order : {}).flatMap(([phase, names]) =>
      namesIn(names, ['pipeline', 'order', phase]),
    ),
    ...Object.keys(isMap(surfaces) ? surfaces : {}).map((name) => ({
      name,
      path: ['pipeline', 'surfaces', name],
    })),
  ];
  return named
    .filter(({ name }) => !known.includes(name))
    .map(({ name, path }) =>
      problemAt(main, path, `names '${name}', which is no plugin${didYouMeanHint(name, known)}`),
    );
}

function namesIn(list: unknown, path: readonly string[]): { name: string; path: PropertyKey[] }[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((name, index) => (typeof name === 'string' ? { name, path: [...path, index] } : []));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function baseOf(layers: Layers, origin: Origin): string {
  return origin.from === 'file' ? dirname(resolve(layers.workingDir, origin.file)) : layers.workingDir;
}

function modulePath(entry: string, base: string): string {
  return /^\.{1,2}\//.test(entry) || isAbsolute(entry) ? resolve(base, entry) : entry;
}

function resolvePaths(layers: Layers, section: Section, value: unknown): void {
  for (const { path, node } of section.settings) {
    if (!isPath(node) && !node.module) continue;
    const holder = valueAt(value, path.slice(0, -1)) as Record<string, unknown> | undefined;
    // A level that may be left out.
    if (holder === undefined) continue;
    const key = path.at(-1) ?? '';
    const base = baseOf(layers, originOf(section, path));
    const absolute = (entry: unknown) => {
      if (typeof entry !== 'string') return entry;
      return node.module ? modulePath(entry, base) : resolve(base, entry);
    };
    const current = holder[key];
    holder[key] = Array.isArray(current) ? current.map(absolute) : absolute(current);
  }
}

/** Settings that were given, but not to a process of a role that uses them. */
function unusedSettings(entries: readonly ConfigEntry[], role: Role): string[] {
  return entries
    .filter(({ origin, roles }) => origin.from !== 'default' && roles?.includes(role) === false)
    .map(({ origin, path }) => problemText({ origin, path, rule: `has no effect, since role is ${role}` }));
}

function entriesOf(section: Section, value: unknown): ConfigEntry[] {
  return section.settings.map(({ path, node, live, roles, secret }) => {
    const full = [...section.prefix, ...path];
    return {
      path: full.join('.'),
      environmentName: environmentName(full),
      value: valueAt(value, path),
      origin: originOf(section, path),
      secret,
      isPath: isPath(node) || node.module === true,
      // A reload sets up new plugins; other settings need a restart unless the schema has `live: true`.
      live: live ?? section.prefix[0] === 'plugins',
      roles: section.prefix[0] === 'plugins' ? GATEWAY_ROLES : roles,
    };
  });
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) current = (current as Record<string, unknown> | undefined)?.[key];
  return current;
}

/**
 * What the schema of a plugin made of a setting, where a copy would be another value: a reload copies settings, and so does a
 * gateway of several processes. An object that has itself in it is no setting either.
 */
function* pathsOfObjects(
  value: unknown,
  path: readonly string[] = [],
  above: readonly object[] = [],
): Generator<readonly string[]> {
  if (typeof value === 'function' || typeof value === 'symbol') yield path;
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value) && !isPlain(value)) {
    if (!isCopied(value)) yield path;
    return;
  }
  if (above.includes(value)) return void (yield path);
  for (const [key, child] of Object.entries(value))
    yield* pathsOfObjects(child, [...path, key], [...above, value]);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isCopied(value: object): boolean {
  try {
    return !ArrayBuffer.isView(value) && isDeepStrictEqual(structuredClone(value), value);
  } catch {
    return false;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) deepFreeze(child);
  }
  return value;
}
