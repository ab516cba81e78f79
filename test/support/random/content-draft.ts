/**
 * What the generator remembers of the project it is making up: just enough to make the next step a valid
 * one. Changes are made by replacing steps.
 */
import type { OracleKind } from '../oracle/content.ts';
import type { ElementStep, SnippetStep, Step, TermStep, TypeStep } from './steps.ts';

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

export interface Draft {
  readonly languages: Map<string, Of<'language'>>;
  readonly taxonomies: Map<string, Of<'taxonomy'>>;
  readonly snippets: Map<string, SnippetStep>;
  readonly types: Map<string, TypeStep>;
  readonly assets: Map<string, Of<'asset'>>;
  /** Living ones. */
  readonly items: Map<string, Of<'item'>>;
  readonly archivedItems: Map<string, Of<'item'>>;
  sitemap: Of<'sitemap'>;
  /** Sitemap nodes, flat. */
  nodes: string[];
  /** State of each variant by `item/language`. */
  readonly variants: Map<string, DraftVariant>;
  /** Counter behind keys and codenames. */
  made: number;
}

export interface DraftVariant {
  readonly draft: boolean;
  readonly published: boolean;
  readonly archived: boolean;
}

export const DEFAULT_LANGUAGE = 'language-default';

export function emptyDraft(): Draft {
  return {
    languages: new Map(),
    taxonomies: new Map(),
    snippets: new Map(),
    types: new Map(),
    assets: new Map(),
    items: new Map(),
    archivedItems: new Map(),
    sitemap: { do: 'sitemap', nodes: [] },
    nodes: [],
    variants: new Map(),
    made: 0,
  };
}

export function nextKey(draft: Draft, word: string): string {
  draft.made += 1;
  return `${word}-${draft.made}`;
}

export type ValueStep = ElementStep & { readonly kind: OracleKind };

/** Elements of a type as its items carry them, with the codename delivery shows. */
export function valueElements(draft: Draft, type: TypeStep): { element: ValueStep; codename: string }[] {
  return type.elements.flatMap((element) => {
    if (element.kind !== 'snippet') return isValue(element) ? [{ element, codename: element.codename }] : [];
    const snippet = draft.snippets.get(element.snippet!)!;
    return snippet.elements
      .filter(isValue)
      .map((inner) => ({ element: inner, codename: `${snippet.codename}__${inner.codename}` }));
  });
}

function isValue(element: ElementStep): element is ValueStep {
  return element.kind !== 'guidelines' && element.kind !== 'snippet';
}

export function flatTerms(terms: readonly TermStep[]): TermStep[] {
  return terms.flatMap((term) => [term, ...flatTerms(term.terms)]);
}
