import type { Sql } from '../storage/sql.ts';

/** One change of an item or of a variant of it. */
export interface Revision {
  /** Position in the change log, by which pages continue. */
  readonly sequence: number;
  readonly part: number;
  readonly at: string;
  /** `content_item` or `content_item_variant`. */
  readonly type: string;
  /** `create`, `upsert`, `publish` … */
  readonly operation: string;
  readonly item: string;
  /** Id of the variant's language. */
  readonly language: string | null;
  /** The user of the key; null = the installation. */
  readonly user: { readonly id: string; readonly name: string | null } | null;
}

export interface RevisionFilter {
  /** Id of the item; by default all items of the project. */
  readonly item?: string;
  /** Id of the language: only that variant. */
  readonly language?: string;
  /** Id of the user who made the changes. */
  readonly user?: string;
  /** Further conditions in SQL, on change `c`. */
  readonly conditions?: readonly string[];
  /** Position that the page starts after. */
  readonly before: readonly [sequence: number, part: number];
  readonly limit: number;
}

const TYPES = `'content_item', 'content_item_variant'`;

/** Newest first. */
export async function listRevisions(sql: Sql, project: number, filter: RevisionFilter): Promise<Revision[]> {
  const where = ['c.project = ?', `c.type IN (${TYPES})`, ...(filter.conditions ?? [])];
  const parameters: (string | number)[] = [project];
  if (filter.user !== undefined) {
    where.push('c.actor = ?');
    parameters.push(filter.user);
  }
  // For the history of one object, the unary plus keeps the planner from walking the whole log.
  let plus = '';
  if (filter.item !== undefined) {
    plus = '+';
    if (filter.language !== undefined) {
      where.push('c.object = ?');
      parameters.push(`${filter.item}/${filter.language}`);
    } else {
      // '0' follows '/': the item itself and everything below it.
      where.push('c.object >= ? AND c.object < ?');
      parameters.push(filter.item, `${filter.item}0`);
    }
  } else if (filter.language !== undefined) {
    where.push('c.object LIKE ?');
    parameters.push(`%/${filter.language}`);
  }
  const rows = await sql.all<{
    sequence: number;
    part: number;
    at: string;
    type: string;
    operation: string;
    object: string;
    actor: string | null;
    name: string | null;
  }>(
    `SELECT c.sequence AS sequence, c.part AS part, c.at AS at, c.type AS type, c.operation AS operation,
       c.object AS object, c.actor AS actor, a.name AS name
     FROM change c LEFT JOIN account a ON a.id = c.actor
     WHERE ${where.join(' AND ')} AND (${plus}c.sequence, ${plus}c.part) < (?, ?)
     ORDER BY ${plus}c.sequence DESC, ${plus}c.part DESC LIMIT ?`,
    [...parameters, ...filter.before, filter.limit],
  );
  return rows.map(({ object, actor, name, ...row }) => {
    const [item = '', language = null] = object.split('/');
    return { item, language, user: actor === null ? null : { id: actor, name }, ...row };
  });
}
