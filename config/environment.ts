/** Names of settings in the environment, and how their text becomes a value. */
import { parse as parseYaml } from 'yaml';
import { kindsOf, type SchemaNode } from './outline.ts';

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** `['surfaces', 'delivery', 'publicUrl']` → `HEADWATER_SURFACES__DELIVERY__PUBLIC_URL` */
export function environmentName(path: readonly string[]): string {
  return `HEADWATER_${path.map(snake).join('__')}`;
}

/** The same with one `_` between levels: `HEADWATER_VENDOR_HEADER`. Valid where no other setting has the name. */
export function shortEnvironmentName(path: readonly string[]): string {
  return `HEADWATER_${path.map(snake).join('_')}`;
}

function snake(key: string): string {
  return key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();
}

/** The first address of a list, as `[::1]:8091`. */
const IPV6_AND_PORT = /^\[[\da-f:.]+\]:\d/i;

/**
 * Parses a text by the type of the setting: a list is comma-separated or YAML in brackets, a map is YAML in braces.
 * Any other text stays a string, for which the schema reports its own rule.
 */
export function valueOfText(text: string, node: SchemaNode): unknown {
  const kinds = kindsOf(node);
  const trimmed = text.trim();
  if (kinds.has('null') && trimmed === 'null') return null;
  if (kinds.has('array') && (!trimmed.startsWith('[') || IPV6_AND_PORT.test(trimmed))) {
    const parts = trimmed.split(',').map((part) => part.trim());
    return parts.filter((part) => part !== '').map((part) => valueOfText(part, node.items ?? {}));
  }
  if (kinds.has('array') || (kinds.has('object') && trimmed.startsWith('{'))) {
    try {
      return parseYaml(trimmed);
    } catch {
      return text;
    }
  }
  if (
    (kinds.has('number') || kinds.has('integer')) &&
    /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)
  ) {
    return Number(trimmed);
  }
  if (kinds.has('boolean') && TRUE.has(trimmed.toLowerCase())) return true;
  if (kinds.has('boolean') && FALSE.has(trimmed.toLowerCase())) return false;
  return text;
}
