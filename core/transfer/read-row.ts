import { readJson as readInPieces } from '../json-body/read-json.ts';
import { isId } from '../model/external-id.ts';
import type { Issues } from '../model/issues.ts';

type Kind = 'id' | 'id?' | 'text' | 'text?' | 'time' | 'time?' | 'count' | 'count?' | 'flag';

const PART = { id: 'id', name: 'text', codename: 'text', external_id: 'text?' } as const;

/** Columns of each kind of row; no other property of an archive reaches a table. JSON texts are read where they are used. */
const COLUMNS = {
  language: { ...PART, ordinal: 'count', active: 'flag', is_default: 'flag', fallback: 'id?' },
  taxonomy: { ...PART, terms: 'text', last_modified: 'time', archived: 'time?' },
  snippet: { ...PART, elements: 'text', last_modified: 'time' },
  type: { ...PART, elements: 'text', content_groups: 'text', last_modified: 'time' },
  model: { sitemap: 'text', asset_folders: 'text', folders_changed: 'time?' },
  preview_url: { type: 'id?', language: 'id?', url: 'text' },
  file: {
    id: 'id',
    name: 'text',
    hash: 'text',
    size: 'count',
    type: 'text',
    created: 'time',
    width: 'count?',
    height: 'count?',
  },
  asset: {
    id: 'id',
    external_id: 'text?',
    title: 'text?',
    descriptions: 'text',
    folder: 'id?',
    created: 'time',
    last_modified: 'time',
    archived: 'time?',
  },
  item: {
    id: 'id',
    name: 'text?',
    codename: 'text?',
    external_id: 'text?',
    type: 'id?',
    sitemap_locations: 'text',
    created: 'time',
    last_modified: 'time',
    archived: 'time?',
  },
  variant: {
    item: 'id',
    language: 'id',
    draft: 'count?',
    published: 'count?',
    scheduled_to: 'time?',
    schedule: 'id?',
    was_published: 'flag',
    last_modified: 'time',
    archived: 'time?',
  },
  version: { elements: 'text', created: 'time', account: 'id?' },
} as const satisfies Record<string, Readonly<Record<string, Kind>>>;

/** Returns the row if every column has the right form; otherwise reports issues. */
export function readRow<Row>(issues: Issues, kind: keyof typeof COLUMNS, row: unknown): Row | undefined {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    issues.add(`An object is expected: ${kind}.`);
    return undefined;
  }
  const before = issues.count;
  for (const [column, wanted] of Object.entries(COLUMNS[kind])) {
    const value: unknown = Object.hasOwn(row, column) ? Reflect.get(row, column) : undefined;
    if (!fits(value, wanted)) issues.add(EXPECTED[wanted], column);
  }
  return issues.count === before ? (row as Row) : undefined;
}

/** Parses JSON; returns undefined and reports an issue when it is none: no JSON text means undefined. */
export function readJson(issues: Issues, text: string, path?: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (isUnicode(text, value)) return value;
    issues.add('A string holds half of a surrogate pair.', path);
  } catch {
    issues.add('This is not JSON.', path);
  }
  return undefined;
}

/** Longer texts are parsed in pieces; this many characters take a millisecond. */
const LONG = 128 * 1024;

/** The same for long texts, with turns for other work in between. */
export async function readLongJson(issues: Issues, text: string, path?: string): Promise<unknown> {
  if (text.length < LONG) return readJson(issues, text, path);
  const { location } = issues;
  const read = await readInPieces(text);
  issues.location = location;
  if ('value' in read) return read.value;
  issues.add(read.issue.message, path);
  return undefined;
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{7}Z$/;

const EXPECTED: Readonly<Record<Kind, string>> = {
  id: 'A GUID in lower case is expected.',
  'id?': 'A GUID in lower case or null is expected.',
  text: 'A string is expected.',
  'text?': 'A string or null is expected.',
  time: 'A time such as 2030-01-31T12:00:00.0000000Z is expected.',
  'time?': 'A time such as 2030-01-31T12:00:00.0000000Z, or null, is expected.',
  count: 'A whole number that is not negative is expected.',
  'count?': 'A whole number that is not negative, or null, is expected.',
  flag: '0 or 1 is expected.',
};

function fits(value: unknown, wanted: Kind): boolean {
  if (value === null) return wanted.endsWith('?');
  switch (wanted) {
    case 'id':
    case 'id?':
      return isId(value);
    case 'text':
    case 'text?':
      return typeof value === 'string';
    case 'time':
    case 'time?':
      return isTime(value);
    case 'flag':
      return value === 0 || value === 1;
    default:
      return Number.isSafeInteger(value) && (value as number) >= 0;
  }
}

/** Times have seven fraction digits, so that their strings sort like times. */
function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || !TIME.test(value) || value.startsWith('0000')) return false;
  const seconds = value.slice(0, 19);
  const time = Date.parse(`${seconds}Z`);
  // `Date` reads 30 February as 2 March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(seconds);
}

/** Half a surrogate pair: UTF-8 cannot hold it, but an escape can. */
const HALF_ESCAPE = /\\u[dD][89a-fA-F]/;
const HALF = /\p{Surrogate}/u;

function isUnicode(text: string, value: unknown): boolean {
  if (!HALF_ESCAPE.test(text)) return true;
  const ahead: unknown[] = [value];
  while (ahead.length > 0) {
    const next = ahead.pop();
    if (typeof next === 'string' && HALF.test(next)) return false;
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      if (HALF.test(key)) return false;
      ahead.push(inner);
    }
  }
  return true;
}

/** A parsed row with its file and line. */
export interface ReadRow {
  readonly location: Issues['location'];
  readonly value: unknown;
}
