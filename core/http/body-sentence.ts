import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'A string is expected.',
  number: 'A number is expected.',
  int: 'A whole number is expected.',
  boolean: 'true or false is expected.',
  array: 'An array is expected.',
  object: 'An object is expected.',
  record: 'An object is expected.',
};

/** Their bound is one of a length. */
const LONG: ReadonlySet<string> = new Set(['string', 'array']);
const MISSING: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value']);

/** What is wrong with a value, in the words of the other APIs; undefined where the schema's library has to say it. */
export function bodySentence(issue: RawIssue): string | undefined {
  if (issue.input === undefined && MISSING.has(issue.code)) return 'The value is missing.';
  switch (issue.code) {
    case 'invalid_type':
      return EXPECTED[issue.expected];
    case 'invalid_value':
      return `The value must be one of ${issue.values.map(String).join(', ')}.`;
    case 'invalid_format':
      return issue.format === 'guid' ? 'A GUID is expected.' : undefined;
    case 'unrecognized_keys': {
      const keys = issue.keys.map((key) => JSON.stringify(key)).join(', ');
      return issue.keys.length === 1
        ? `The property ${keys} is not known here.`
        : `The properties ${keys} are not known here.`;
    }
    case 'too_small':
      return LONG.has(issue.origin)
        ? `The length must be at least ${issue.minimum}.`
        : `The number must be at least ${issue.minimum}.`;
    case 'too_big':
      return LONG.has(issue.origin)
        ? `The length must be at most ${issue.maximum}.`
        : `The number must be at most ${issue.maximum}.`;
    default:
      return undefined;
  }
}
