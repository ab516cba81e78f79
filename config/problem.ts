import { z } from 'zod';

/** Where a value comes from. */
export type Origin =
  | { readonly from: 'default' }
  | { readonly from: 'file'; readonly file: string; readonly line: number }
  | {
      readonly from: 'environment';
      readonly name: string;
      /** The file that the variable names, where it does not have the value itself. */
      readonly file?: string;
    }
  | { readonly from: 'flag'; readonly name: string };

/** One problem of the configuration. */
export interface Problem {
  readonly origin: Origin;
  /** Dotted path of the setting; empty where the problem is the file itself. */
  readonly path: string;
  readonly rule: string;
}

/** All problems at once, so that one edit can fix them all. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[];

  constructor(unsorted: readonly Problem[]) {
    const problems = unsorted.toSorted((one, other) =>
      sortKey(one.origin).localeCompare(sortKey(other.origin)),
    );
    const head =
      problems.length === 1
        ? 'The configuration is wrong:'
        : `The configuration has ${problems.length} problems:`;
    super([head, ...problems.map((problem) => `  ${problemText(problem)}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

export function originText(origin: Origin): string {
  if (origin.from === 'default') return 'default';
  if (origin.from === 'file') return `${origin.file}:${origin.line}`;
  return origin.from === 'environment' && origin.file !== undefined
    ? `${origin.name}=${origin.file}`
    : origin.name;
}

/** Sorts by file and line; environment and options come first. */
function sortKey(origin: Origin): string {
  return origin.from === 'file' ? `${origin.file}:${String(origin.line).padStart(8)}` : '';
}

export function problemText(problem: Problem): string {
  return [`${originText(problem.origin)}:`, problem.path, problem.rule]
    .filter((part) => part !== '')
    .join(' ');
}

type Issue = z.core.$ZodIssue;

const NOUNS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of settings',
  record: 'a map',
  null: 'null',
};

const defaultMessage = z.locales.en().localeError;

/** The rule that an issue breaks; continues a sentence that starts with the setting's path: `must be a list, but is "x"`. */
export function ruleText(issue: Issue, secret: boolean): string {
  const isShown = !secret && issue.code !== 'custom' && issue.code !== 'invalid_key';
  const shown = isShown ? butIs(issue.input) : '';
  return `${ruleOf(issue)}${shown}`;
}

function ruleOf(issue: Issue): string {
  if (isOwnMessage(issue)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return `must ${bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', Number(issue.minimum))}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', Number(issue.maximum))}`;
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap((branch) => branch.slice(0, 1).map(ruleOf)))].join(' or ');
    case 'invalid_key':
      return `has a name that ${issue.issues.map(ruleOf).join(', ')}`;
    default:
      return `is wrong: ${issue.message}`;
  }
}

/** Whether the schema has its own message, not one of zod's. */
function isOwnMessage(issue: Issue): boolean {
  const plain = defaultMessage(issue as Parameters<typeof defaultMessage>[0]);
  return issue.code === 'custom' || issue.message !== (typeof plain === 'string' ? plain : plain?.message);
}

function bound(origin: string, word: string, limit: number): string {
  if (origin === 'string') return `have ${word} ${limit} character${limit === 1 ? '' : 's'}`;
  if (origin === 'array') return `have ${word} ${limit} entr${limit === 1 ? 'y' : 'ies'}`;
  return `be ${word} ${limit}`;
}

function butIs(input: unknown): string {
  if (input === undefined) return ', but is missing';
  if (Array.isArray(input)) return ', but is a list';
  if (typeof input === 'object' && input !== null) return ', but is a map';
  // JSON has no infinity.
  const text = typeof input === 'number' ? String(input) : JSON.stringify(input);
  return `, but is ${text.length > 60 ? `${text.slice(0, 57)}…"` : text}`;
}
