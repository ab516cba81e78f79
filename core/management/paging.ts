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
 * Where a page begins: behind the row with these numbers. Rows keep their numbers, and new ones get higher
 * ones, so a walk over the pages meets everything that is there all the time exactly once, and the last page
 * costs what the first one does.
 */
export type After = readonly number[];

/**
 * The row that the page asked for comes after; all zeros for the first page.
 * @param scope names the listing; a token is good for its own only
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
 * @param rows one more than the page holds, if there are more
 * @param last numbers of a row, to come after
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
        next_page: token === null ? null : `${call.address}?continuationToken=${encodeURIComponent(token)}`,
      },
    },
  };
}

/** The same for parts of the model, which are in memory as a whole. */
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
