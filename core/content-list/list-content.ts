import { readNumbers } from '../storage/listings/numbers-in-rows.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { ContentFilter, ContentPage } from './content-filter.ts';
import { type Part, partsOf } from './parts.ts';
import { allOf, oneOf, orderBy } from './statement.ts';

export interface ListedContent {
  /** Storage numbers of the items of the page, in order. */
  readonly items: readonly number[];
  readonly total: number;
}

/** One page of the items that match, and how many match. */
export async function listContent(
  view: ProjectView,
  filter: ContentFilter,
  page: ContentPage,
): Promise<ListedContent> {
  const parts = await partsOf(view, filter, page);
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const slices: Slice[] = [];
  let end = 0;
  for (const part of parts) {
    const begin = end;
    end += part.total;
    const skip = Math.max(0, page.offset - begin);
    const limit = Math.min(end, page.offset + page.limit) - begin - skip;
    if (limit > 0) slices.push({ part, skip, limit });
  }
  return { items: await readSlices(view, slices), total };
}

/**
 * All items that match, by name, and how many match.
 * @param most no items are read where more match
 */
export async function listAllContent(
  view: ProjectView,
  filter: ContentFilter,
  most: number,
): Promise<ListedContent> {
  const page = { order: 'name', descending: false, offset: 0, limit: most } as const;
  const [part] = await partsOf(view, filter, page);
  if (!part || part.total > most) return { items: [], total: part?.total ?? 0 };
  const items = await readNumbers(view.tx, part.item, orderBy(part.by, false), part.from);
  return { items, total: part.total };
}

/** Rows of a part that are on the page. */
interface Slice {
  readonly part: Part;
  readonly skip: number;
  readonly limit: number;
}

async function readSlices(view: ProjectView, slices: readonly Slice[]): Promise<number[]> {
  const whole = slices.slice(1, -1);
  // Small types may be many: all but the first and the last are read at once.
  const between =
    whole.length > 1
      ? await readWhole(
          view,
          whole.map(({ part }) => part),
        )
      : undefined;
  const items: number[] = [];
  // One by one: an act reads up to a million, too many for the arguments of a call.
  for (const slice of slices)
    for (const item of between?.get(slice.part) ?? (await readSlice(view, slice))) items.push(item);
  return items;
}

/** Reads from the nearer end, because the index is walked to the page. */
async function readSlice({ tx }: ProjectView, { part, skip, limit }: Slice): Promise<number[]> {
  const { from, by, descending, total, item } = part;
  const isNearEnd = skip > total / 2;
  const rows = await tx.all<{ item: number }>(
    `SELECT ${item} AS item ${from.text} ORDER BY ${orderBy(by, descending !== isNearEnd)} LIMIT ? OFFSET ?`,
    [...from.parameters, limit, isNearEnd ? total - skip - limit : skip],
  );
  const items = rows.map((row) => row.item);
  return isNearEnd ? items.reverse() : items;
}

async function readWhole(
  { tx }: ProjectView,
  parts: readonly Part[],
): Promise<Map<Part, number[]> | undefined> {
  const [{ group, by, descending, item } = { group: undefined }] = parts;
  if (!group) return undefined;
  const { text, parameters } = allOf([
    group.from,
    oneOf(
      group.column,
      parts.map(({ group: own }) => own?.value ?? null),
    ),
  ]);
  const rows = await tx.all<{ item: number; value: number }>(
    `SELECT ${item} AS item, ${group.column} AS value ${text} ORDER BY ${orderBy(by, descending)}`,
    parameters,
  );
  return new Map(
    parts.map((part) => [
      part,
      rows.filter(({ value }) => value === part.group?.value).map((row) => row.item),
    ]),
  );
}
