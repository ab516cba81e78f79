/**
 * The settings of a schema as a tree, with descriptions, defaults and rules. Environment names, `explain` and the
 * shipped files are derived from it.
 */
import { z } from 'zod';

/** The part of JSON Schema (2020-12) that zod emits for settings. */
export interface SchemaNode {
  /** Several: kinds without rules of their own, `null` for instance. */
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The value must not be shown; holds for a whole level. */
  readonly secret?: boolean;
  readonly path?: boolean;
  readonly module?: boolean;
  /** Whether a reload applies a change; holds for a whole level. */
  readonly live?: boolean;
  /** Roles that use it; holds for a whole level. Absent: all roles. */
  readonly roles?: readonly string[];
}

/** One setting: an object with known keys is a level, everything else (lists, maps too) is a setting. */
export interface Setting {
  readonly path: readonly string[];
  readonly node: SchemaNode;
  /** Of the setting or the nearest level above it that has one. */
  readonly live: boolean | undefined;
  readonly roles: readonly string[] | undefined;
  /** It is a secret, or a list or map with one in it. */
  readonly secret: boolean;
}

export function outline(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaNode;
}

export function isLevel(node: SchemaNode): boolean {
  return node.type === 'object' && node.properties !== undefined;
}

export function settingsOf(
  node: SchemaNode,
  path: readonly string[] = [],
  above: Pick<SchemaNode, 'live' | 'roles' | 'secret'> = {},
): Setting[] {
  const live = node.live ?? above.live;
  const roles = node.roles ?? above.roles;
  const secret = above.secret === true || (isLevel(node) ? node.secret === true : hasSecret(node));
  if (!isLevel(node)) return [{ path, node, live, roles, secret }];
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    settingsOf(child, [...path, key], { live, roles, secret }),
  );
}

/** The JSON types a value may have. */
export function kindsOf(node: SchemaNode): Set<string> {
  // Several values of different types have no type of their own.
  const ofValues = (node.enum ?? []).map((value) => (value === null ? 'null' : typeof value));
  const kinds = new Set<string>([node.type ?? ofValues].flat());
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
    for (const kind of kindsOf(branch)) kinds.add(kind);
  }
  return kinds;
}

function hasSecret({ secret, items, additionalProperties, properties, anyOf, oneOf }: SchemaNode): boolean {
  if (secret === true) return true;
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  const inside = [items, rest, ...Object.values(properties ?? {}), ...(anyOf ?? []), ...(oneOf ?? [])];
  return inside.some((node) => node !== undefined && hasSecret(node));
}

/** Whether the value, or each entry of a list, is a path; the mark may be below a `null` beside it. */
export function isPath({ path, items, anyOf = [] }: SchemaNode): boolean {
  return path === true || [items, ...anyOf].some((node) => node !== undefined && isPath(node));
}

/** Levels that accept unknown keys: they would ignore a typing error. */
export function looseLevels(node: SchemaNode, path: readonly string[] = []): string[] {
  const here = isLevel(node) && node.additionalProperties !== false ? [path.join('.') || '(top level)'] : [];
  const below = Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    looseLevels(child, [...path, key]),
  );
  return [...here, ...below];
}

/** The bounds of a value, the roles that use it, and when a change of it applies, as sentences. */
export function rulesOf(node: SchemaNode): string {
  return [
    boundsOf(node),
    node.roles === undefined ? '' : `Roles: ${node.roles.join(', ')}.`,
    node.live === undefined ? '' : LIVE[String(node.live) as 'true' | 'false'],
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const LIVE = { true: 'A reload applies it.', false: 'Needs a restart.' } as const;

function boundsOf(given: SchemaNode): string {
  // Of a setting that may be null, those of its other values.
  const node = given.anyOf?.find(({ type }) => type !== 'null') ?? given;
  if (node.enum && node.enum.length > 1) return `One of ${node.enum.map(String).join(', ')}.`;
  const { minimum, maximum } = node;
  const top = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const bottom = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER;
  if (bottom && top) return `From ${minimum} to ${maximum}.`;
  if (bottom) return `At least ${minimum}.`;
  return top ? `At most ${maximum}.` : '';
}
