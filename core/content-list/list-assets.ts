import { ASSET_KINDS } from '../model/asset-kinds.ts';
import { isId } from '../model/external-id.ts';
import { containing } from '../model/like-pattern.ts';
import type { Language } from '../model/model.ts';
import type { TextMatches } from '../storage/full-text.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { AssetFilter, AssetOrder, AssetPage } from './asset-filter.ts';
import { allOf, oneOf, orderBy, type Statement, sql } from './statement.ts';
import { readTextQuery } from './text-query.ts';

export interface ListedAssets {
  /** Storage numbers of the assets of the page, in order. */
  readonly assets: readonly number[];
  readonly total: number;
}

const COLUMNS: Readonly<Record<AssetOrder, readonly string[]>> = {
  created: ['r.number'],
  name: ['r.name', 'r.number'],
  changed: ['r.changed', 'r.number'],
  size: ['r.size', 'r.number'],
};

/** Full text has assets in place of the items of a language with this number. */
const ASSETS = 0;

/** One page of the assets that match, and how many match. */
export async function listAssets(
  view: ProjectView,
  filter: AssetFilter,
  { order, descending, after, offset, limit }: AssetPage,
): Promise<ListedAssets> {
  const matches = matchesOf(view, filter);
  const from = fromOf(view, filter, matches);
  // The matches are read once, where all of them are read to order them.
  if (matches && order !== 'created') {
    const page = await readCounted(view, from, orderBy(COLUMNS[order], descending), limit, offset);
    if (page) return page;
  }
  const within = after === undefined ? from : allOf([from, sql('r.number < ?', after)]);
  const counted = await view.tx.get<{ total: number }>(
    `SELECT count(*) AS total ${from.text}`,
    from.parameters,
  );
  const total = counted?.total ?? 0;
  const shown = Math.min(limit, total - offset);
  if (shown <= 0) return { assets: [], total };
  // The index is walked to the page, so from the nearer end.
  const isNearEnd = offset > total / 2;
  // Matches come in the order of their numbers.
  const by =
    matches && order === 'created'
      ? `m.number${descending === isNearEnd ? '' : ' DESC'}`
      : orderBy(COLUMNS[order], descending !== isNearEnd);
  const rows = await view.tx.all<{ number: number }>(
    `SELECT r.number AS number ${within.text} ORDER BY ${by} LIMIT ? OFFSET ?`,
    [...within.parameters, shown, isNearEnd ? total - shown - offset : offset],
  );
  const assets = rows.map(({ number }) => number);
  return { assets: isNearEnd ? assets.reverse() : assets, total };
}

/** A page with how many there are; undefined where it has none. */
async function readCounted(
  { tx }: ProjectView,
  from: Statement,
  by: string,
  limit: number,
  offset: number,
): Promise<ListedAssets | undefined> {
  const rows = await tx.all<{ number: number; total: number }>(
    `SELECT r.number AS number, count(*) OVER () AS total ${from.text} ORDER BY ${by} LIMIT ? OFFSET ?`,
    [...from.parameters, limit, offset],
  );
  return rows[0] && { assets: rows.map(({ number }) => number), total: rows[0].total };
}

function matchesOf(view: ProjectView, { text = '' }: AssetFilter): TextMatches | undefined {
  const words = idOf(text) === undefined ? readTextQuery(text) : undefined;
  return words && view.tx.matching(words, ASSETS);
}

function fromOf(view: ProjectView, filter: AssetFilter, matches: TextMatches | undefined): Statement {
  const conditions = allOf(conditionsOf(view, filter));
  if (!matches) return sql(`FROM listed_asset r WHERE ${conditions.text}`, ...conditions.parameters);
  return sql(
    // SQLite keeps the order of tables in a cross join, and would begin with the list otherwise.
    `FROM (${matches.text}) m CROSS JOIN listed_asset r WHERE r.number = m.number AND ${conditions.text}`,
    ...matches.parameters,
    ...conditions.parameters,
  );
}

function conditionsOf(
  { project }: ProjectView,
  { text = '', kinds, folders, isUnused, undescribed }: AssetFilter,
): Statement[] {
  const conditions = [sql('r.project = ?', project.number)];
  if (kinds)
    conditions.push(
      oneOf(
        'r.kind',
        kinds.map((kind) => ASSET_KINDS.indexOf(kind)),
      ),
    );
  if (folders)
    conditions.push(
      oneOf(
        'r.folder',
        folders.map((folder) => folder ?? ''),
      ),
    );
  if (isUnused) conditions.push(sql('r.used = 0'));
  if (undescribed) conditions.push(lacksDescription(undescribed));
  const id = idOf(text);
  if (id !== undefined)
    conditions.push(
      sql('r.number IN (SELECT number FROM asset WHERE project = ? AND id = ?)', project.number, id),
    );
  else if (text !== '' && !readTextQuery(text)) conditions.push(hasCharacters(project.number, text));
  return conditions;
}

function idOf(text: string): string | undefined {
  const id = text.trim().toLowerCase();
  return isId(id) ? id : undefined;
}

function lacksDescription({ ordinal }: Language): Statement {
  return sql(`substr(r.described, ${ordinal + 1}, 1) <> '1'`);
}

/** Full text has only letters and digits. This reads all names. */
function hasCharacters(project: number, text: string): Statement {
  const pattern = containing(text);
  return sql(
    `r.number IN (SELECT a.number FROM asset a JOIN file f ON f.id = a.file
       WHERE a.project = ? AND (lower(a.title) LIKE ? ESCAPE '\\' OR lower(f.name) LIKE ? ESCAPE '\\'))`,
    project,
    pattern,
    pattern,
  );
}
