import type { Sql } from '../storage/sql.ts';
import type { FeedPosition } from './change-feed.ts';

/** What one commit did to one object. */
export interface ChangedObject {
  readonly sequence: number;
  /** Id of the project; null = the installation. */
  readonly project: string | null;
  /** `content_item`, `webhook`, `user` … */
  readonly kind: string;
  /** `create`, `upsert`, `publish` … */
  readonly operation: string;
  /** Of a variant: `<item>/<language>`. */
  readonly id: string;
  /** Who did it; null = the installation. */
  readonly actor: { readonly id: string; readonly name: string | null } | null;
  readonly tags: readonly string[];
  /** Codenames of the type of an item that exists, and of the language of a variant; null = the change is about no item. */
  readonly content: { readonly type: string | null; readonly language: string | null } | null;
}

/** A part of the change log, in the order of commits. */
export interface ChangesPage {
  /** What the page reaches to. */
  readonly position: FeedPosition;
  /** The log does not hold what was asked for: the reader reads everything again. */
  readonly isReset: boolean;
  readonly changes: readonly ChangedObject[];
}

/** A reader that missed more commits reads everything again. */
const LONGEST_GAP = 1000;
/** Objects of a page; what a larger commit changed beyond is not listed. */
const PAGE = 200;
/** Longer lists of tags become one tag for everything. */
const LONGEST_TAGS = 2000;
const ID_LENGTH = 36;

interface Row {
  readonly sequence: number;
  readonly project: string | null;
  readonly kind: string;
  readonly operation: string;
  readonly id: string;
  readonly actor: string | null;
  readonly name: string | null;
  readonly tags: string;
  readonly content_type: string | null;
  readonly content_language: string | null;
}

/** @param after undefined: only the newest position */
export async function changedObjects(sql: Sql, after: FeedPosition | undefined): Promise<ChangesPage> {
  const newest = (await sql.get<FeedPosition>('SELECT epoch, sequence FROM installation WHERE id = 1'))!;
  const { epoch, sequence } = newest;
  const gap = after === undefined ? 0 : sequence - after.sequence;
  if (after === undefined || gap === 0)
    return { position: newest, isReset: isOther(after, epoch), changes: [] };
  const reset: ChangesPage = { position: newest, isReset: true, changes: [] };
  if (isOther(after, epoch) || gap < 0 || gap > LONGEST_GAP) return reset;
  const rows = await sql.all<Row>(
    `SELECT c.sequence AS sequence, p.id AS project, c.type AS kind, c.operation AS operation, c.object AS id,
       c.actor AS actor, a.name AS name, CASE WHEN length(c.tags) > ? THEN '["*"]' ELSE c.tags END AS tags,
       t.codename AS content_type, l.codename AS content_language
     FROM change c LEFT JOIN project p ON p.number = c.project LEFT JOIN account a ON a.id = c.actor
       LEFT JOIN item i ON c.type IN ('content_item', 'content_item_variant') AND i.project = c.project
         AND i.id = substr(c.object, 1, ${ID_LENGTH})
       LEFT JOIN content_type t ON t.number = i.type
       LEFT JOIN language l ON c.type = 'content_item_variant' AND l.project = c.project
         AND l.id = substr(c.object, ${ID_LENGTH + 2})
     WHERE c.sequence > ? AND c.sequence <= ? ORDER BY c.sequence, c.part LIMIT ?`,
    [LONGEST_TAGS, after.sequence, sequence, PAGE + 1],
  );
  // Old commits are removed from the log.
  if (rows[0]?.sequence !== after.sequence + 1) return reset;
  const page = wholeCommits(rows);
  return {
    position: { epoch, sequence: rows.length > PAGE ? page.at(-1)!.sequence : sequence },
    isReset: false,
    changes: page.map(({ actor, name, tags, content_type: type, content_language: language, ...row }) => ({
      ...row,
      actor: actor === null ? null : { id: actor, name },
      tags: JSON.parse(tags),
      content: row.kind.startsWith('content_item') ? { type, language } : null,
    })),
  };
}

function isOther(after: FeedPosition | undefined, epoch: string): boolean {
  return after !== undefined && after.epoch !== epoch;
}

/** Without a last commit that is cut off, unless it is the only one. */
function wholeCommits(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= PAGE) return rows;
  const cut = rows.at(-1)!.sequence;
  const whole = rows.filter(({ sequence }) => sequence !== cut);
  return whole.length > 0 ? whole : rows.slice(0, PAGE);
}
