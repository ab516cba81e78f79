import type { ElementDefinitionInput } from './inputs.ts';
import type { Issues } from './issues.ts';
import type { CountLimit, FileTypes, ImageLimits, TextLengthLimit } from './model.ts';

/** The limits an element may have. An absent limit and one of null are the same and are not stored. */

const CONDITIONS = ['at_most', 'exactly', 'at_least'];

export function textLimit(
  issues: Issues,
  input: ElementDefinitionInput,
  path: string,
): { maximum_text_length?: TextLengthLimit } {
  const given = input.maximum_text_length as TextLengthLimit | null | undefined;
  if (given === undefined || given === null) return {};
  if (!isCount(given.value) || (given.applies_to !== 'words' && given.applies_to !== 'characters')) {
    issues.add(
      `A text limit is {value, applies_to: 'words' or 'characters'}.`,
      `${path}.maximum_text_length`,
    );
  }
  return { maximum_text_length: { value: given.value, applies_to: given.applies_to } };
}

export function countLimit<K extends string>(
  issues: Issues,
  key: K & keyof ElementDefinitionInput,
  input: ElementDefinitionInput,
  path: string,
): { [key in K]?: CountLimit } {
  const given = input[key] as CountLimit | null | undefined;
  if (given === undefined || given === null) return {};
  if (!isCount(given.value) || !CONDITIONS.includes(given.condition)) {
    issues.add(`A count limit is {value, condition: 'at_most', 'exactly' or 'at_least'}.`, `${path}.${key}`);
  }
  return { [key]: { value: given.value, condition: given.condition } } as { [key in K]?: CountLimit };
}

/** What files and images an element takes: their size in bytes, their kind, their width and height. */
export function fileLimits<
  S extends 'maximum_image_size' | 'maximum_file_size',
  T extends 'allowed_image_types' | 'allowed_file_types',
>(
  issues: Issues,
  sizeKey: S,
  typesKey: T,
  input: ElementDefinitionInput,
  path: string,
): { [key in S]?: number } & { [key in T]?: FileTypes } & ImageLimits {
  const size = input[sizeKey] ?? undefined;
  if (size !== undefined && !isCount(size))
    issues.add('A number of bytes is expected.', `${path}.${sizeKey}`);
  const types = input[typesKey] ?? 'any';
  if (types !== 'any' && types !== 'adjustable') {
    issues.add(`'any' or 'adjustable' is expected.`, `${path}.${typesKey}`);
  }
  return {
    ...(size === undefined ? {} : { [sizeKey]: size }),
    ...(types === 'any' ? {} : { [typesKey]: types }),
    ...countLimit(issues, 'image_width_limit', input, path),
    ...countLimit(issues, 'image_height_limit', input, path),
  } as { [key in S]?: number } & { [key in T]?: FileTypes } & ImageLimits;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
