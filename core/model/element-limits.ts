import type { ElementDefinitionInput } from './inputs.ts';
import type { Issues } from './issues.ts';
import type { CountLimit, FileTypes, ImageLimits, TextLengthLimit } from './model.ts';

/** Checks the limits of an element. An absent limit and null are the same; neither is stored. */

const CONDITIONS = ['at_most', 'exactly', 'at_least'];

export function textLimit(
  issues: Issues,
  input: ElementDefinitionInput,
  path: string,
): { maximum_text_length?: TextLengthLimit } {
  const limit = input.maximum_text_length as TextLengthLimit | null | undefined;
  if (limit === undefined || limit === null) return {};
  if (!isCount(limit.value) || (limit.applies_to !== 'words' && limit.applies_to !== 'characters')) {
    issues.add(
      `A text limit is {value, applies_to: 'words' or 'characters'}.`,
      `${path}.maximum_text_length`,
    );
  }
  return { maximum_text_length: { value: limit.value, applies_to: limit.applies_to } };
}

export function countLimit<K extends string>(
  issues: Issues,
  key: K & keyof ElementDefinitionInput,
  input: ElementDefinitionInput,
  path: string,
): { [key in K]?: CountLimit } {
  const limit = input[key] as CountLimit | null | undefined;
  if (limit === undefined || limit === null) return {};
  if (!isCount(limit.value) || !CONDITIONS.includes(limit.condition)) {
    issues.add(`A count limit is {value, condition: 'at_most', 'exactly' or 'at_least'}.`, `${path}.${key}`);
  }
  return { [key]: { value: limit.value, condition: limit.condition } } as { [key in K]?: CountLimit };
}

/** Limits on the files and images of an element: size in bytes, kind, width and height. */
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
