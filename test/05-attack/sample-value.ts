import type { Random } from '../support/random/random.ts';
import type { ApiCall, ApiCalls, Schema } from './api-calls.ts';
import { type KnownValues, nounOf } from './known-values.ts';

const OPERATION_PATHS = [
  '/name',
  '/codename',
  '/elements',
  '/content_groups',
  '/elements/codename:',
  '/elements/id:',
];
const MOST_DEPTH = 5;
const TIMES = [
  '2031-05-01T10:00:00Z',
  '2001-01-01T00:00:00.0000000Z',
  '2030-01-01',
  '2030-01-01T00:00:00+02:00',
];

/** A body that the documented schema allows, made of names the project has; or what a GET of the same path answers. */
export function sampleBody(random: Random, calls: ApiCalls, known: KnownValues, call: ApiCall): unknown {
  const schema = call.bodies['application/json'] ?? {};
  const written = known.documents.get(call.path);
  if (written !== undefined && calls.resolve(schema).type === 'object' && random.chance(0.7))
    return asInput(random, calls.resolve(schema), random.pick(written), call.method === 'POST');
  return sample(random, calls, known, schema, '', 0);
}

/** What was read, less what the schema does not know: ids, times. A list gives one of its members. */
function asInput(random: Random, schema: Schema, read: unknown, isNew: boolean): unknown {
  if (typeof read !== 'object' || read === null) return read;
  const entry = Array.isArray(read) ? read : Object.values(read).find(Array.isArray);
  // What is made anew cannot have the names of what there is.
  const taken = isNew ? ['id', 'codename', 'external_id'] : ['id'];
  const names = Object.keys(schema.properties ?? {}).filter((name) => !taken.includes(name));
  const fits = (value: object) => names.some((name) => name in value);
  const source = fits(read) ? read : entry && entry.length > 0 ? (random.pick(entry) as object) : read;
  return structuredClone(Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name))));
}

function sample(
  random: Random,
  calls: ApiCalls,
  known: KnownValues,
  schema: Schema,
  key: string,
  depth: number,
): unknown {
  const { type, properties = {}, required = [], items, ...one } = calls.resolve(schema);
  const inner = (of: Schema, under = key) => sample(random, calls, known, of, under, depth + 1);
  if (one.const !== undefined) return one.const;
  if (one.enum) return random.pick(one.enum);
  const choice = one.oneOf ?? one.anyOf;
  if (choice) return inner(random.pick(choice));
  if (one.allOf) return Object.assign({}, ...one.allOf.map((part) => inner(part)));
  const kind = Array.isArray(type) ? random.pick(type) : type;
  switch (kind) {
    case 'string':
      return text(random, known, key);
    case 'integer':
    case 'number':
      return random.int(one.minimum ?? 0, Math.min(one.maximum ?? 1000, 100_000));
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array': {
      if (depth > MOST_DEPTH) return [];
      return random.times(one.minItems ?? 0, 4, () =>
        items && isDescribed(calls.resolve(items)) ? inner(items) : fragment(random, known),
      );
    }
    case 'object': {
      const names = Object.keys(properties);
      if (names.length === 0) return fragment(random, known);
      if (one.maxProperties === 1) {
        const name = random.pick(names);
        return { [name]: reference(random, known, key, name) };
      }
      const chosen = names.filter(
        (name) => required.includes(name) || random.chance(depth > MOST_DEPTH ? 0 : 0.5),
      );
      return Object.fromEntries(
        chosen.map((name) => [
          name,
          ['id', 'codename', 'external_id'].includes(name)
            ? reference(random, known, key, name)
            : inner(properties[name]!, name),
        ]),
      );
    }
    default:
      return random.pick([
        () => text(random, known, key),
        () => fragment(random, known),
        () => inner(random.pick(calls.inputs)),
      ])();
  }
}

/** A schema that says no more than `object` allows everything. */
function isDescribed(schema: Schema): boolean {
  return schema.type !== 'object' || schema.properties !== undefined;
}

function reference(random: Random, known: KnownValues, key: string, name: string): string {
  return known.name(random, nounOf(key), name as 'id' | 'codename' | 'external_id');
}

function text(random: Random, known: KnownValues, key: string): string {
  if (key === 'url') return 'https://receiver.invalid/hook';
  if (key === 'email') return `attacker-${random.int(0, 1e9)}@example.org`;
  if (/since|scheduled|date|time|modified/.test(key)) return random.pick(TIMES);
  if (key === 'path') {
    const path = random.pick(OPERATION_PATHS);
    if (path.endsWith('id:')) return path + known.name(random, 'element', 'id');
    return path.endsWith(':') ? path + known.name(random, 'element', 'codename') : path;
  }
  if (key === 'capabilities')
    return random.pick(['manage-apis', 'manage-content', 'manage-types', 'publish']);
  if (key === 'type' && random.chance(0.7)) return random.pick(['internal', 'content_item', 'taxonomy']);
  if (key !== 'type' && known.knows(key)) return known.name(random, key, random.pick(['id', 'codename']));
  if (key === 'user_id') return known.name(random, 'user', 'id');
  if (key === 'id' || key.endsWith('_id')) return known.name(random, nounOf(key.replace(/_id$/, '')), 'id');
  return random.pick(['Harbour', 'a name', `thing ${random.int(0, 1e6)}`, 'harbour_lights', 'publish']);
}

function fragment(random: Random, known: KnownValues): unknown {
  return known.fragments.length > 0 ? structuredClone(random.pick(known.fragments)) : {};
}
