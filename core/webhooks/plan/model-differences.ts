import type { ContentType, TaxonomyGroup } from '../../model/model.ts';

/** The parts of a type that documents contain. */
export function shapeOf(type: ContentType): string {
  return JSON.stringify([
    type.codename,
    type.fields.map(({ codename, element }) => [
      codename,
      element.name,
      element.type,
      element.type === 'multiple_choice'
        ? element.options.map(({ id, name, codename }) => [id, name, codename])
        : null,
      element.type === 'taxonomy' ? element.taxonomy_group.id : null,
    ]),
  ]);
}

/** The parts of a type that hyperlinks to its items show: codename, and element of the URL slug. */
export function linkedAs(type: ContentType): string {
  const slugs = type.fields.filter(({ element }) => element.type === 'url_slug');
  return JSON.stringify([type.codename, slugs.map(({ element }) => element.id)]);
}

/** Ids of terms that were renamed or removed. */
export function changedTerms(old: TaxonomyGroup, group: TaxonomyGroup): string[] {
  return [...old.termById.values()]
    .filter(({ id, name, codename }) => {
      const term = group.termById.get(id);
      return term?.name !== name || term.codename !== codename;
    })
    .map(({ id }) => id);
}
