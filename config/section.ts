/** One schema with the values of the operator's file, then of the environment, then of flags. */
import type { z } from 'zod';
import { didYouMean } from './did-you-mean.ts';
import { isLevel, outline, type SchemaNode, type Setting, settingsOf } from './outline.ts';
import { type Origin, type Problem, ruleText } from './problem.ts';
import type { YamlFile } from './yaml-file.ts';

export interface Section {
  /** Prefix of each path: empty for the settings of the installation, `plugins`, `<name>` for a plugin. */
  readonly prefix: readonly string[];
  readonly schema: z.ZodType;
  readonly node: SchemaNode;
  readonly settings: readonly Setting[];
  readonly file: YamlFile | undefined;
  /** Values without defaults. */
  readonly given: Record<string, unknown>;
  readonly overrides: Map<string, Origin>;
}

export function makeSection(
  prefix: readonly string[],
  schema: z.ZodType,
  file: YamlFile | undefined,
): Section {
  const { node, settings } = describe(schema);
  const given = withoutEmptyLevels(file?.value ?? {}, node);
  return { prefix, schema, node, settings, file, given, overrides: new Map() };
}

type Description = Pick<Section, 'node' | 'settings'>;

/** Each start and reload reads the schemas of all plugins more than once. */
const described = new WeakMap<z.ZodType, Description>();

function describe(schema: z.ZodType): Description {
  const known = described.get(schema);
  if (known) return known;
  const node = outline(schema);
  const description = { node, settings: settingsOf(node) };
  described.set(schema, description);
  return description;
}

/** Sets one value. Does nothing where the file has no map at a level above it: the schema reports that. */
export function override(section: Section, path: readonly string[], value: unknown, origin: Origin): void {
  let level = section.given;
  for (const key of path.slice(0, -1)) {
    level[key] ??= {};
    const next = level[key];
    if (typeof next !== 'object' || next === null) return;
    level = next as Record<string, unknown>;
  }
  level[path.at(-1) ?? ''] = value;
  section.overrides.set(path.join('\0'), origin);
}

/** The last origin of the value at `path`; inside a list or map, that of the list or map. */
export function originOf(section: Section, path: readonly PropertyKey[]): Origin {
  for (let length = path.length; length > 0; length--) {
    const origin = section.overrides.get(path.slice(0, length).join('\0'));
    if (origin) return origin;
  }
  if (section.file?.has(path))
    return { from: 'file', file: section.file.name, line: section.file.line(path) };
  return { from: 'default' };
}

export function resolveSection(section: Section): { value: unknown; problems: Problem[] } {
  const result = section.schema.safeParse(section.given, { reportInput: true });
  if (result.success) return { value: result.data, problems: [] };
  return { value: undefined, problems: result.error.issues.flatMap((issue) => problemsOf(section, issue)) };
}

function problemsOf(section: Section, issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(nodeAt(section.node, issue.path)?.properties ?? {});
    return issue.keys.map((key) => {
      const near = didYouMean(key, known);
      const others = known.length === 0 ? 'there is none here' : `known here: ${known.join(', ')}`;
      const hint = near ? `did you mean ${near}?` : others;
      return problemAt(section, [...issue.path, key], `is not a setting; ${hint}`);
    });
  }
  // A secret may be a list or a map: the issue is then about a value inside.
  const secret = section.settings.some(
    (setting) => setting.secret && setting.path.every((key, at) => key === issue.path[at]),
  );
  const problem = problemAt(section, issue.path, ruleText(issue, secret));
  if (issue.code !== 'invalid_key') return [problem];
  // Without the name, which may be a secret in the wrong place: the line says which it is.
  return [{ ...problem, path: fullPath(section, issue.path.slice(0, -1)) }];
}

/** With the prefix of the section, as messages name it: `plugins.cors.origins`. */
export function fullPath({ prefix }: Pick<Section, 'prefix'>, path: readonly PropertyKey[]): string {
  return [...prefix, ...path].map(String).join('.');
}

/** A rule that the value at `path` breaks; a missing setting has the file in which it belongs. */
export function problemAt(section: Section, path: readonly PropertyKey[], rule: string): Problem {
  let origin = originOf(section, path);
  if (origin.from === 'default' && section.file) {
    origin = { from: 'file', file: section.file.name, line: section.file.line(path) };
  }
  return { origin, path: fullPath(section, path), rule };
}

function nodeAt(node: SchemaNode, path: readonly PropertyKey[]): SchemaNode | undefined {
  let current: SchemaNode | undefined = node;
  for (const key of path) current = current?.properties?.[String(key)];
  return current;
}

/** In YAML a level whose settings are all comments is null; it means that none is set. */
function withoutEmptyLevels(given: Record<string, unknown>, node: SchemaNode): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const child = node.properties?.[key];
    const level = child && isLevel(child);
    if (level && value === null) continue;
    const group = level && typeof value === 'object' && !Array.isArray(value);
    kept[key] = group ? withoutEmptyLevels(value as Record<string, unknown>, child) : value;
  }
  return kept;
}
