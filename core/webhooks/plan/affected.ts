/**
 * Finds the published variants that a change affects, as SELECTs over compiled documents: `id, codename, language,
 * type`. All run inside the transaction of the change, so they use a covering index where a project may have many
 * rows.
 */
import { type ContentType, type Language, type ProjectModel, viewOf } from '../../model/model.ts';
import type { Sql, SqlValue } from '../../storage/sql.ts';
import { USE } from '../../storage/stale.ts';
import { inPieces } from '../../turns/in-pieces.ts';

export interface Rule {
  readonly text: string;
  readonly parameters: readonly SqlValue[];
  /** Selects a row if the rule may match; absent where that is likely. */
  readonly any?: { readonly text: string; readonly parameter: SqlValue };
}

/** With more terms than this, every item that could hold one counts as affected. */
const SEARCHED_TERMS = 20;

const COLUMNS = 'i.id AS id, i.codename AS codename, l.codename AS language, t.codename AS type';
/** Published documents `d` with what identifies them. */
const DOCUMENTS = `document d JOIN item i ON i.number = d.item JOIN language l ON l.number = d.language
  JOIN content_type t ON t.number = d.type`;
const READABLE = 'd.visible & 1 <> 0 AND l.active = 1';
const IS_PUBLIC = (item: string) =>
  `EXISTS (SELECT 1 FROM document p WHERE p.item = ${item} AND p.visible & 1 <> 0)`;

/**
 * Documents that were compiled from another object.
 * @param kinds of USE
 * @param target storage number; an item does not count as a user of itself
 * @param languages storage numbers; empty = all
 */
export function dependentsOf(
  kinds: readonly number[],
  target: number,
  languages: readonly number[] = [],
): Rule {
  const isItem = kinds.includes(USE.linkedItem) || kinds.includes(USE.hyperlink);
  const other = isItem ? 'AND d.item <> u.target' : '';
  const inThese = languages.length > 0 ? `AND d.language IN (${languages.map(() => '?').join(', ')})` : '';
  return {
    text: `SELECT DISTINCT ${COLUMNS} FROM uses u JOIN ${DOCUMENTS.replace('document d', 'document d ON d.number = u.document')}
      WHERE u.kind IN (${kinds.join(', ')}) AND u.target = ? ${other} ${inThese} AND ${READABLE}`,
    parameters: [target, ...languages],
    any: {
      text: `SELECT 1 AS found FROM uses WHERE kind IN (${kinds.join(', ')}) AND target = ? LIMIT 1`,
      parameter: target,
    },
  };
}

/** Documents that use this item (`kinds` of USE), while it is published. */
export function dependentsOfPublished(kinds: readonly number[], target: number): Rule {
  const { text, ...rest } = dependentsOf(kinds, target);
  return {
    ...rest,
    text: `${text} AND ${IS_PUBLIC('u.target')}`,
  };
}

/**
 * Whether published documents show one of the items, or its codename.
 * @param isRenamed its codename changes, which those that link it contain, public or not
 */
export async function areShown(tx: Sql, items: ReadonlySet<number>, isRenamed: boolean): Promise<boolean> {
  const { linkedItem, hyperlink } = USE;
  const kinds = isRenamed ? [linkedItem, hyperlink] : [linkedItem];
  const rows = await inPieces(items, (some) => {
    const among = tx.among('u.target', some);
    return tx.all(
      `SELECT 1 AS found FROM uses u JOIN document d ON d.number = u.document JOIN language l ON l.number = d.language
       WHERE u.kind IN (${kinds.join(', ')}) AND ${among.text} AND d.item <> u.target AND ${READABLE}
         AND (${isRenamed ? `u.kind = ${linkedItem} OR ` : ''}${IS_PUBLIC('u.target')}) LIMIT 1`,
      [among.parameter],
    );
  });
  return rows.length > 0;
}

/**
 * Items of the type: for 100,000 of them one walk along an index that holds all columns but the ids.
 * @param terms ids; only items that have one of them
 */
export function itemsOfType(model: ProjectModel, type: ContentType, terms: readonly string[] = []): Rule[] {
  const search = termSearch(terms);
  return model.languages
    .filter((language) => language.isActive)
    .map((language) => ({
      text: `SELECT i.id AS id, r.codename AS codename, ? AS language, ? AS type
        FROM resolved r JOIN item i ON i.number = r.item ${search.text === '' ? '' : `JOIN variant v ON v.item = r.item AND v.language = r.language JOIN version n ON n.number = v.published`}
        WHERE r.view = ? AND r.type = ? AND r.language = ? ${search.text}`,
      parameters: [
        language.codename,
        type.codename,
        viewOf(language, 'published'),
        type.number,
        language.number,
        ...search.parameters,
      ],
    }));
}

/** Items with components of the type. */
export function itemsWithComponents(type: ContentType, terms: readonly string[] = []): Rule {
  const search = termSearch(terms);
  const { text, parameters, ...rest } = dependentsOf([USE.componentType], type.number);
  if (search.text === '') return { text, parameters, ...rest };
  return {
    ...rest,
    text: `${text.replace('WHERE', 'JOIN version n ON n.number = d.version WHERE')} ${search.text}`,
    parameters: [...parameters, ...search.parameters],
  };
}

/** Items with hyperlinks to items of the type, which show its codename and their URL slugs. */
export function hyperlinksToType(type: ContentType): Rule {
  return {
    text: `SELECT DISTINCT ${COLUMNS} FROM item o JOIN uses u ON u.kind = ${USE.hyperlink} AND u.target = o.number
      JOIN ${DOCUMENTS.replace('document d', 'document d ON d.number = u.document')}
      WHERE o.type = ? AND ${IS_PUBLIC('o.number')} AND ${READABLE}`,
    parameters: [type.number],
    any: { text: 'SELECT 1 AS found FROM uses WHERE kind = ? LIMIT 1', parameter: USE.hyperlink },
  };
}

/** Published items in the language, also while it is inactive. */
export function itemsInLanguage(project: number, language: Language): Rule {
  return {
    text: `SELECT i.id AS id, i.codename AS codename, ? AS language, t.codename AS type
      FROM item i JOIN variant v ON v.item = i.number AND v.language = ? JOIN content_type t ON t.number = i.type
      WHERE i.project = ? AND i.type IS NOT NULL AND i.archived IS NULL
        AND v.published IS NOT NULL AND v.archived IS NULL`,
    parameters: [language.codename, language.number, project],
  };
}

/** Published items that are in one of the nodes of the sitemap. */
export function itemsAtNodes(project: number, nodes: readonly string[]): Rule {
  const at = nodes.length > SEARCHED_TERMS ? [] : nodes;
  const located = at.map(() => 'i.sitemap_locations LIKE ?').join(' OR ');
  return {
    text: `SELECT ${COLUMNS} FROM item i JOIN document d ON d.item = i.number JOIN language l ON l.number = d.language
        JOIN content_type t ON t.number = i.type
      WHERE i.project = ? AND i.type IS NOT NULL AND i.archived IS NULL AND i.sitemap_locations <> '[]'
        ${located === '' ? '' : `AND (${located})`} AND ${READABLE}`,
    parameters: [project, ...at.map((id) => `%"${id}"%`)],
  };
}

function termSearch(terms: readonly string[]): Rule {
  if (terms.length === 0 || terms.length > SEARCHED_TERMS) return { text: '', parameters: [] };
  return {
    text: `AND (${terms.map(() => 'n.elements LIKE ?').join(' OR ')})`,
    parameters: terms.map((id) => `%"${id}"%`),
  };
}
