import type {
  ContentType,
  Definition,
  ElementDefinition,
  Language,
  Named,
  Term,
  ValueDefinition,
} from './managed.ts';

/** The content model of a project, as forms need it. */
export interface ContentModel {
  readonly types: ReadonlyMap<string, ContentType>;
  readonly snippets: ReadonlyMap<string, Definition>;
  readonly taxonomies: ReadonlyMap<string, Term>;
  readonly languages: readonly Language[];
}

/** A part of a form: an element, or guidelines between elements. */
export type FormPart =
  | { readonly kind: 'element'; readonly id: string; readonly definition: ValueDefinition }
  | { readonly kind: 'guidelines'; readonly id: string; readonly text: string };

/** A tab of a form; a type without groups has one without name. */
export interface FormGroup {
  readonly id: string;
  readonly name: string | undefined;
  readonly parts: readonly FormPart[];
}

/** The form of a type, with snippets expanded. */
export function formGroups({ snippets }: ContentModel, type: ContentType): readonly FormGroup[] {
  const partsOf = (elements: readonly ElementDefinition[]) =>
    elements.flatMap((element): FormPart[] => {
      if (element.type !== 'snippet') return [partOf(element)];
      const snippet = snippets.get(element.snippet.id);
      return (snippet?.elements ?? []).flatMap((inner): FormPart[] => {
        // A snippet holds no snippets.
        if (inner.type === 'snippet') return [];
        if (inner.type === 'guidelines') return [partOf(inner)];
        return [partOf({ ...inner, codename: `${snippet?.codename}__${inner.codename}` })];
      });
    });
  const [first] = type.content_groups;
  if (!first) return [{ id: type.id, name: undefined, parts: partsOf(type.elements) }];
  return type.content_groups.map(({ id, name }: Named) => ({
    id,
    name,
    parts: partsOf(type.elements.filter(({ content_group }) => (content_group?.id ?? first.id) === id)),
  }));
}

function partOf(element: Exclude<ElementDefinition, { readonly type: 'snippet' }>): FormPart {
  const { id } = element;
  return element.type === 'guidelines'
    ? { kind: 'guidelines', id, text: element.guidelines }
    : { kind: 'element', id, definition: element };
}

export function elementsOf(model: ContentModel, type: ContentType): readonly ValueDefinition[] {
  return formGroups(model, type).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'element' ? [part.definition] : [])),
  );
}

/** What a list may have in it, where the model says so: options, or the terms of a taxonomy. */
export function membersOf(model: ContentModel, definition: ValueDefinition): readonly Named[] | undefined {
  if (definition.type === 'multiple_choice') return definition.options;
  if (definition.type !== 'taxonomy') return undefined;
  return termsBelow(model.taxonomies.get(definition.taxonomy_group.id)?.terms ?? []);
}

function termsBelow(terms: readonly Term[]): readonly Term[] {
  return terms.flatMap((term) => [term, ...termsBelow(term.terms)]);
}
