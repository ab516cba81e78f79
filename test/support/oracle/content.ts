/**
 * What the oracle knows: a small project as plain objects. Things refer to each other by `key`, a name of
 * the test's own that never changes, so that a rename is one assignment.
 */

export type OracleKind =
  | 'text'
  | 'rich_text'
  | 'number'
  | 'multiple_choice'
  | 'date_time'
  | 'asset'
  | 'modular_content'
  | 'taxonomy'
  | 'url_slug'
  | 'custom';

export interface OracleLanguage {
  readonly key: string;
  id: string;
  name: string;
  codename: string;
  active: boolean;
  readonly isDefault: boolean;
  fallback: string | null;
}

export interface OracleTerm {
  readonly key: string;
  id: string;
  name: string;
  codename: string;
  terms: OracleTerm[];
}

export interface OracleTaxonomy extends OracleTerm {
  lastModified: string;
}

export interface OracleNode {
  readonly key: string;
  id: string;
  name: string;
  codename: string;
  nodes: OracleNode[];
}

export interface OracleOption {
  readonly key: string;
  id: string;
  name: string;
  codename: string;
}

export interface OracleElement {
  readonly key: string;
  id: string;
  readonly kind: OracleKind | 'guidelines' | 'snippet';
  name: string;
  codename: string;
  /** multiple_choice */
  options?: OracleOption[];
  mode?: 'single' | 'multiple';
  /** taxonomy: key of the group */
  group?: string;
  /** snippet: key of the snippet */
  snippet?: string;
  /** url_slug: key of the text element */
  dependsOn?: string;
}

export interface OracleSnippet {
  readonly key: string;
  id: string;
  name: string;
  codename: string;
  elements: OracleElement[];
}

export interface OracleType extends OracleSnippet {
  lastModified: string;
}

export interface OracleAsset {
  readonly key: string;
  id: string;
  file: string;
  fileName: string;
  type: string;
  size: number;
  /** By language key. */
  descriptions: Record<string, string>;
}

export type Inline =
  | { readonly text: string; readonly mark?: 'strong' | 'em' | 'code' }
  | { readonly linkTo: string; readonly text: string }
  | { readonly href: string; readonly text: string };

export type Block =
  | { readonly block: 'p' | 'h1' | 'h2' | 'h3' | 'h4'; readonly inlines: readonly Inline[] }
  | { readonly block: 'ul' | 'ol'; readonly entries: readonly (readonly Inline[])[] }
  | { readonly block: 'figure'; readonly asset: string }
  | { readonly block: 'item'; readonly item: string }
  | { readonly block: 'component'; readonly component: OracleComponent };

export interface OracleComponent {
  readonly id: string;
  readonly type: string;
  readonly values: OracleValues;
}

export interface OracleRichText {
  readonly blocks: readonly Block[];
}

/** Arrays hold keys of items, options, terms or assets. */
export type OracleValue = string | number | null | readonly string[] | OracleRichText;

/** By element key; an absent key was never written. */
export type OracleValues = Readonly<Record<string, OracleValue>>;

export interface OracleVersion {
  readonly values: OracleValues;
  /** ISO time with 7 fraction digits. */
  readonly lastModified: string;
}

export interface OracleVariant {
  readonly language: string;
  /** The version readers of preview get. */
  latest: OracleVersion;
  published: OracleVersion | null;
  archived?: boolean;
}

export interface OracleItem {
  readonly key: string;
  id: string;
  name: string;
  codename: string;
  readonly type: string;
  sitemap: string[];
  /** When the item itself was made or last renamed or moved. */
  lastModified: string;
  variants: OracleVariant[];
  /** Deleted: out of sight, though others still name it. */
  archived?: boolean;
}

export interface OracleContent {
  readonly projectId: string;
  readonly mediaType: string;
  languages: OracleLanguage[];
  taxonomies: OracleTaxonomy[];
  sitemap: OracleNode[];
  snippets: OracleSnippet[];
  types: OracleType[];
  assets: OracleAsset[];
  items: OracleItem[];
}

export type OracleChannel = 'published' | 'latest';

/** An element as an item carries it: snippets expanded in place (spec 2.2, last paragraph). */
export interface OracleField {
  readonly codename: string;
  readonly element: OracleElement & { readonly kind: OracleKind };
}

export function fieldsOf(content: OracleContent, type: OracleType): OracleField[] {
  const fields: OracleField[] = [];
  for (const element of type.elements) {
    if (element.kind === 'snippet') {
      const snippet = byKey(content.snippets, element.snippet!);
      for (const inner of snippet.elements) {
        if (hasValue(inner))
          fields.push({ codename: `${snippet.codename}__${inner.codename}`, element: inner });
      }
    } else if (hasValue(element)) {
      fields.push({ codename: element.codename, element });
    }
  }
  return fields;
}

function hasValue(element: OracleElement): element is OracleElement & { kind: OracleKind } {
  return element.kind !== 'guidelines' && element.kind !== 'snippet';
}

export function byKey<T extends { readonly key: string }>(things: readonly T[], key: string): T {
  const found = things.find((thing) => thing.key === key);
  if (!found) throw new Error(`The content set has nothing with the key ${key}.`);
  return found;
}

/** Terms of a tree in reading order. */
export function allTerms(terms: readonly OracleTerm[]): OracleTerm[] {
  return terms.flatMap((term) => [term, ...allTerms(term.terms)]);
}

export function allNodes(nodes: readonly OracleNode[]): OracleNode[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.nodes)]);
}
