import { folded } from '../model/folded-words.ts';
import { CHANNEL_BIT, type ProjectModel, type Term } from '../model/model.ts';
import { VARIANT_STATES } from '../model/variant-state.ts';
import { LANGUAGE_SPAN, textKey } from '../storage/index-key.ts';
import type { SqlValue } from '../storage/sql.ts';
import { visibleWhere } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { ContentFilter } from './content-filter.ts';
import { allOf, among, oneOf, type Statement, sql } from './statement.ts';

const ARCHIVED = VARIANT_STATES.indexOf('archived');

/** Conditions of a filter on the rows `r` of the table `listed`, without those of the text. */
export interface Conditions {
  /** Of type and state: counts and indexes answer them, those of the author too. */
  readonly plain: Statement;
  readonly author: Statement | undefined;
  /** All others; undefined = none. */
  readonly other: Statement | undefined;
}

export function conditionsOf(view: ProjectView, filter: ContentFilter): Conditions {
  const { tx, project, model } = view;
  const { language, types, states, terms, location, author, changedFrom, changedBefore, isLacking } = filter;
  const plain = [
    sql('r.language = ?', language.number),
    ...visibleWhere(view, { type: 'r.type', language: 'r.language' }).map((text) => sql(text)),
  ];
  if (types)
    plain.push(
      oneOf(
        'r.type',
        types.map(({ number }) => number),
      ),
    );
  plain.push(
    states
      ? oneOf(
          'r.state',
          states.map((state) => VARIANT_STATES.indexOf(state)),
        )
      : sql('r.state <> ?', ARCHIVED),
  );
  const other: Statement[] = [];
  if (terms) {
    const within = allOf([
      among(tx, 'e.slot', slotsOfTerms(model, terms, language.ordinal)),
      among(
        tx,
        'e.key',
        terms.map(({ id }) => textKey(id)),
      ),
      sql('e.visible >= ?', CHANNEL_BIT.latest),
    ]);
    other.push(sql(`r.item IN (SELECT e.item FROM entry e WHERE ${within.text})`, ...within.parameters));
  }
  if (location)
    other.push(
      sql(
        'r.item IN (SELECT i.number FROM item i WHERE i.project = ? AND i.sitemap_locations LIKE ?)',
        project.number,
        `%"${location.id}"%`,
      ),
    );
  const compare = (condition: string, value: SqlValue | undefined) => {
    if (value !== undefined) other.push(sql(condition, value));
  };
  compare('r.changed >= ?', changedFrom);
  compare('r.changed < ?', changedBefore);
  if (isLacking) other.push(sql('r.lacking = 1'));
  return {
    plain: allOf(plain),
    author: author === undefined ? undefined : sql('r.author = ?', author),
    other: other.length > 0 ? allOf(other) : undefined,
  };
}

/** Slots of all elements whose group has one of the terms. */
function slotsOfTerms(model: ProjectModel, terms: readonly Term[], language: number): number[] {
  const groups = new Set(
    model.taxonomies.filter(({ termById }) => terms.some(({ id }) => termById.has(id))).map(({ id }) => id),
  );
  return model.types.flatMap(({ fields }) =>
    fields.flatMap(({ field, element }) =>
      element.type === 'taxonomy' && groups.has(element.taxonomy_group.id)
        ? [field * LANGUAGE_SPAN + language]
        : [],
    ),
  );
}

/** Numbers of the types by name. */
export function typesByName(model: ProjectModel): number[] {
  const named = model.types.map(({ number, name }) => ({ number, name: folded(name) }));
  named.sort((one, other) =>
    one.name === other.name ? one.number - other.number : one.name < other.name ? -1 : 1,
  );
  return named.map(({ number }) => number);
}
