import { ServiceError } from '../errors.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import type { Call } from './call.ts';
import type { Answer } from './route.ts';

/** Longest page of each listing (spec 2.9). */
export const PAGE_SIZE = {
  items: 100,
  assets: 100,
  variants: 50,
  types: 50,
  snippets: 50,
  taxonomies: 50,
  languages: 50,
} as const;

/**
 * Storage numbers of the row before a page. Rows keep their numbers and new rows get higher ones, so a client that reads
 * all pages gets each row exactly once, and the last page costs as much as the first.
 */
export type After = readonly number[];

/**
 * The row before the requested page; all zeros for the first page.
 * @param scope name of the listing; tokens of other listings are refused
 * @throws badContinuation (1007)
 */
export function pageStart(call: Call, scope: string, columns = 1): After {
  const token = call.continuation;
  if (token === undefined || token === '') return Array.from({ length: columns }, () => 0);
  const [epoch, of, ...numbers] = Buffer.from(token, 'base64').toString('latin1').split('|');
  const after = numbers.map(Number);
  if (
    epoch !== call.operations.storage.epoch ||
    of !== scope ||
    after.length !== columns ||
    !after.every((number) => Number.isSafeInteger(number) && number >= 0)
  ) {
    throw new ServiceError('badContinuation', 'The continuation token is not one of this listing.');
  }
  return after;
}

/**
 * The answer with one page of a listing.
 * @param rows one more than the page size, if there are more
 * @param last numbers of a row for the continuation token
 */
export async function pageAnswer<Row>(
  call: Call,
  scope: string,
  name: keyof typeof PAGE_SIZE,
  rows: readonly Row[],
  last: (row: Row) => After,
  toJson: (row: Row) => unknown,
): Promise<Answer> {
  const page = rows.slice(0, PAGE_SIZE[name]);
  const end = page.at(-1);
  const token =
    end !== undefined && rows.length > page.length
      ? Buffer.from([call.operations.storage.epoch, scope, ...last(end)].join('|'), 'latin1').toString(
          'base64',
        )
      : null;
  const shown: unknown[] = [];
  for (const row of page) {
    if (isTurnLong()) await nextTurn();
    shown.push(toJson(row));
  }
  return {
    status: 200,
    continuation: token,
    body: {
      [name]: shown,
      pagination: {
        continuation_token: token,
        next_page: token === null ? null : `${call.url}?continuationToken=${encodeURIComponent(token)}`,
      },
    },
  };
}

/** Like `pageAnswer` for parts of the model, which are all in memory. */
export function pageOf<Row extends { readonly number: number }>(
  call: Call,
  name: keyof typeof PAGE_SIZE,
  all: readonly Row[],
  toJson: (row: Row) => unknown,
): Promise<Answer> {
  const [after = 0] = pageStart(call, name);
  const rows = all
    .filter(({ number }) => number > after)
    .sort((one, other) => one.number - other.number)
    .slice(0, PAGE_SIZE[name] + 1);
  return pageAnswer(call, name, name, rows, ({ number }) => [number], toJson);
}
