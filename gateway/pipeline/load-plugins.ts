import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { isLevel, looseLevels, outline } from '../../config/outline.ts';
import { StartError } from '../../config/start-error.ts';
import { type Facet, PHASES, type Plugin, SURFACES } from '../../plugins/contract.ts';
import { withTimeout } from './with-timeout.ts';

/** A module may have a top-level await. */
const LOAD_TIMEOUT_MS = 30_000;
const isSchema = (value: unknown) => typeof (value as z.ZodType | undefined)?.safeParse === 'function';
/** A plugin without dependencies has a function, which receives zod and returns the schema. */
const schema = z.unknown().transform((value, context): z.ZodType => {
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  try {
    const made =
      typeof value === 'function' && !isSchema(value) ? (value as (given: typeof z) => unknown)(z) : value;
    if (!isSchema(made)) return refuse('must be a zod schema');
    const node = outline(made as z.ZodType);
    if (!isLevel(node)) return refuse('must be z.strictObject({…}), with a property for each setting');
    const [loose] = looseLevels(node);
    if (loose !== undefined)
      return refuse(`must be z.strictObject({…}), which refuses unknown keys, at ${loose}`);
    return made as z.ZodType;
  } catch (cause) {
    return refuse(`cannot be made: ${firstLine(cause)}`);
  }
});
const setup = z.custom<Plugin['setup']>((value) => typeof value === 'function', 'must be a function');
const facets = z.array(z.custom<Facet>((value) => typeof value === 'string', 'must be a text')).default([]);

/** The shape of a plugin, for operators' plugins that no type checker has seen. */
const pluginShape = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be a name in kebab-case'),
  phase: z.enum(PHASES),
  after: z.array(z.string()).default([]),
  terminal: z.boolean().optional(),
  surfaces: z.array(z.enum(SURFACES)).min(1),
  needs: facets,
  gives: facets,
  settings: schema,
  setup,
});

/**
 * Loads an operator's own plugins. Each module exports one constant, `plugin`.
 *
 * @param modules absolute paths (a file, or a folder with an `index.js`) or names of packages
 * @param folder where packages are searched first: the operator's files
 * @param reject called for a module that cannot be used; its `rule` continues a sentence that starts with `pipeline.own`
 * @param others plugins whose names these cannot have
 */
export async function loadPlugins(
  modules: readonly string[],
  reject: (module: string, rule: string) => void,
  folder?: string,
  others: readonly Plugin[] = [],
): Promise<readonly Plugin[]> {
  const loaded: Plugin[] = [];
  for (const module of modules) {
    try {
      const plugin = await loadPlugin(module, folder);
      // Settings are found by the name.
      if ([...others, ...loaded].some(({ name }) => name === plugin.name))
        throw new StartError(`names ${module}, but there is a plugin '${plugin.name}': give it another name`);
      loaded.push(plugin);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      reject(module, error.message);
    }
  }
  return loaded;
}

/** How often a module has failed, by its URL, so that the next load tries again. */
const failures = new Map<string, number>();

async function loadPlugin(module: string, folder: string | undefined): Promise<Plugin> {
  let exported: { readonly plugin?: unknown };
  let specifier: string | undefined;
  try {
    specifier = await specifierOf(module, folder);
    // Node caches failures by URL too.
    const failed = failures.get(specifier);
    const loading = import(failed === undefined ? specifier : `${specifier}&failed=${failed}`);
    exported = (await withTimeout(LOAD_TIMEOUT_MS, loading, 'it was not loaded')) as typeof exported;
  } catch (cause) {
    if (specifier?.startsWith('file:')) failures.set(specifier, (failures.get(specifier) ?? 0) + 1);
    const reason = specifier === module ? reasonOfPackage(module, cause) : reasonOfFile(specifier, cause);
    throw new StartError(`names ${module}, which cannot be loaded: ${reason}`, { cause });
  }
  if (exported.plugin === undefined) {
    throw new StartError(`names ${module}, which does not export a constant with the name 'plugin'`);
  }
  return checkPlugin(exported.plugin, module);
}

function firstLine(cause: unknown): string {
  return (cause instanceof Error ? cause.message.split('\n')[0] : undefined) ?? String(cause);
}

/** Node's message of a missing package names the file that asked for it, which is one of the service. */
function reasonOfPackage(name: string, cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && firstLine(cause).includes(`'${name}'`);
  return isMissing || code === 'ERR_UNSUPPORTED_DIR_IMPORT'
    ? `Cannot find package '${name}' beside your files or beside the service; a path begins with ./ or /`
    : firstLine(cause);
}

/** A syntax error has no line, also where it is in a file that the module imports. */
function reasonOfFile(specifier: string | undefined, cause: unknown): string {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return `${firstLine(cause)}; compile it to JavaScript`;
  return specifier !== undefined && cause instanceof SyntaxError
    ? `${firstLine(cause)}; 'node --check ${fileURLToPath(specifier)}' may show the line`
    : firstLine(cause);
}

/** @throws StartError where the value is not a plugin; its message continues a sentence that starts with `pipeline.own` */
export function checkPlugin(value: unknown, module: string): Plugin {
  const result = pluginShape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') || 'plugin';
  throw new StartError(`names ${module}, which is no plugin: '${where}' ${ruleOf(issue)}`);
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  object: 'an object',
  array: 'a list',
};

function ruleOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue?.code === 'invalid_type') return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
  if (issue?.code === 'too_small') return 'must not be empty';
  return issue?.message ?? 'is wrong';
}

async function specifierOf(module: string, folder: string | undefined): Promise<string> {
  if (!isAbsolute(module)) {
    const found = folder === undefined ? undefined : besideFiles(module, folder);
    return found === undefined ? module : urlOf(found);
  }
  const given = await stat(module);
  return urlOf(given.isDirectory() ? join(module, 'index.js') : module);
}

function besideFiles(name: string, folder: string): string | undefined {
  const require = createRequire(join(resolve(folder), 'headwater.yaml'));
  try {
    return require.resolve(name);
  } catch (error) {
    // What a package exports to `import` alone is not found by `require`.
    const isForImport = (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    return isForImport ? importedFile(name, require.resolve.paths(name) ?? []) : undefined;
  }
}

/** The file that a package exports to `import`. */
function importedFile(name: string, folders: readonly string[]): string | undefined {
  const folder = folders.map((one) => join(one, name)).find((one) => existsSync(join(one, 'package.json')));
  if (folder === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports?: unknown };
  const target = exportedTo(exports);
  return target === undefined ? undefined : join(folder, target);
}

/** Conditions of an `import` in Node; `.` is the package itself. */
const CONDITIONS: ReadonlySet<string> = new Set(['.', 'node', 'import', 'default']);

function exportedTo(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  for (const [condition, target] of Object.entries(exports)) {
    const found = CONDITIONS.has(condition) ? exportedTo(target) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

async function urlOf(file: string): Promise<string> {
  const url = pathToFileURL(file);
  // Node loads a module once per URL; a changed file has another one.
  url.searchParams.set('changed', String((await stat(file)).mtimeMs));
  return url.href;
}
