/**
 * The content model of one project as an immutable value: languages, types, snippets, taxonomies, sitemap. Operations
 * validate against it, the compiler and the delivery planner read it. It is loaded as a whole, because it is small
 * (hundreds of definitions) compared to content.
 */

/**
 * Each kind of element with the form of its values; null: it has none. A new kind starts here, and the compiler lists
 * the rest: tables of kinds are records over `ElementKind` or `ValueKind`, switches on a kind return in every case.
 */
export const ELEMENT_KINDS = {
  text: 'text',
  rich_text: 'rich text',
  number: 'number',
  multiple_choice: 'list',
  date_time: 'text',
  asset: 'list',
  modular_content: 'list',
  taxonomy: 'list',
  url_slug: 'slug',
  custom: 'text',
  guidelines: null,
  snippet: null,
} as const satisfies Record<ElementDefinition['type'], string | null>;

export type ElementKind = keyof typeof ELEMENT_KINDS;
/** All kinds but the two that only shape the editor's form. */
export type ValueKind = Exclude<ElementKind, 'guidelines' | 'snippet'>;

/** Its value is a list of ids, which filters compare member by member. */
export function isList({ type }: ValueElement): boolean {
  return ELEMENT_KINDS[type] === 'list';
}

/** Reference inside the model; always by internal id once stored. */
export interface IdReference {
  readonly id: string;
}

export interface CountLimit {
  readonly value: number;
  readonly condition: 'at_most' | 'exactly' | 'at_least';
}

export interface TextLengthLimit {
  readonly value: number;
  readonly applies_to: 'words' | 'characters';
}

/** `adjustable`: only images that can be transformed. */
export type FileTypes = 'any' | 'adjustable';

/** In pixels. */
export interface ImageLimits {
  readonly image_width_limit?: CountLimit;
  readonly image_height_limit?: CountLimit;
}

export interface ChoiceOption {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
}

interface ElementBase {
  readonly id: string;
  readonly codename: string;
  readonly name: string;
  readonly guidelines: string | null;
  readonly is_required: boolean;
  readonly external_id?: string;
  readonly content_group?: IdReference;
}

/** One element of a type or snippet; the stored form is the v2 wire shape with references by id. */
export type ElementDefinition =
  | (ElementBase & { readonly type: 'text'; readonly maximum_text_length?: TextLengthLimit | null })
  | (ElementBase & {
      readonly type: 'rich_text';
      readonly maximum_text_length?: TextLengthLimit | null;
      readonly allowed_content_types?: readonly IdReference[];
      readonly maximum_image_size?: number;
      readonly allowed_image_types?: FileTypes;
    } & ImageLimits)
  | (ElementBase & { readonly type: 'number' })
  | (ElementBase & { readonly type: 'date_time' })
  | (ElementBase & {
      readonly type: 'multiple_choice';
      readonly mode: 'single' | 'multiple';
      readonly options: readonly ChoiceOption[];
    })
  | (ElementBase & {
      readonly type: 'asset';
      readonly asset_count_limit?: CountLimit | null;
      readonly maximum_file_size?: number;
      readonly allowed_file_types?: FileTypes;
    } & ImageLimits)
  | (ElementBase & {
      readonly type: 'modular_content';
      readonly item_count_limit?: CountLimit | null;
      readonly allowed_content_types?: readonly IdReference[];
    })
  | (ElementBase & {
      readonly type: 'taxonomy';
      readonly taxonomy_group: IdReference;
      readonly term_count_limit?: CountLimit | null;
    })
  | (ElementBase & {
      readonly type: 'url_slug';
      readonly depends_on: { readonly element: IdReference; readonly snippet?: IdReference };
    })
  | (ElementBase & {
      readonly type: 'custom';
      readonly source_url: string;
      readonly json_parameters?: string | null;
      readonly allowed_elements?: readonly IdReference[];
    })
  | (ElementBase & { readonly type: 'guidelines' })
  | (ElementBase & { readonly type: 'snippet'; readonly snippet: IdReference });

/** Each attribute that elements of some kind have. */
export type ElementAttribute = ElementDefinition extends infer E ? (E extends E ? keyof E : never) : never;

export type ValueElement = Extract<ElementDefinition, { type: ValueKind }>;

/**
 * An element as an item has it: snippets expanded in place, the codename as delivery shows it
 * (`<snippet>__<element>` for those), and the number under which its values are indexed.
 */
export interface Field {
  /** Installation-wide number; index slot = `field * LANGUAGE_SPAN + language.ordinal`. */
  readonly field: number;
  readonly codename: string;
  readonly element: ValueElement;
  /** Id of the snippet that the element belongs to. */
  readonly snippet: string | null;
}

/** System attributes that are indexed per type like fields. */
export type SystemField = 'name' | 'last_modified' | 'sitemap_locations';

export interface ContentGroup {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
}

/** What types, snippets and taxonomy groups have in common. */
interface ModelObject {
  /** Storage number. */
  readonly number: number;
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly externalId: string | null;
  readonly lastModified: string;
}

export interface ContentType extends ModelObject {
  readonly contentGroups: readonly ContentGroup[];
  readonly elements: readonly ElementDefinition[];
  readonly fields: readonly Field[];
  readonly fieldByCodename: ReadonlyMap<string, Field>;
  /** By element id; with snippets, the element's id inside the snippet. */
  readonly fieldByElement: ReadonlyMap<string, Field>;
  readonly systemFields: Readonly<Record<SystemField, number>>;
}

export interface Snippet extends ModelObject {
  readonly elements: readonly ElementDefinition[];
}

export interface Term {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
  readonly terms: readonly Term[];
}

export interface TaxonomyGroup extends ModelObject {
  readonly terms: readonly Term[];
  readonly termById: ReadonlyMap<string, Term>;
  readonly termByCodename: ReadonlyMap<string, Term>;
}

export interface SitemapNode {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly nodes: readonly SitemapNode[];
}

export interface Language {
  readonly number: number;
  /** Position among the project's languages, below LANGUAGE_SPAN; never reused. */
  readonly ordinal: number;
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly externalId: string | null;
  readonly isActive: boolean;
  readonly isDefault: boolean;
  /** Id of the language whose content is shown where this one has none; null ends the chain. */
  readonly fallback: string | null;
}

/** The default language always has this id (spec 2.7). */
export const DEFAULT_LANGUAGE_ID = '00000000-0000-0000-0000-000000000000';
export const DEFAULT_COLLECTION_ID = '00000000-0000-0000-0000-000000000000';

/** What readers see: `published` for delivery, `latest` for preview. */
export type Channel = 'published' | 'latest';
export const CHANNELS: readonly Channel[] = ['published', 'latest'];
/** Bit of a channel in the visibility of a document. */
export const CHANNEL_BIT = { published: 1, latest: 2 } as const satisfies Record<Channel, number>;

export interface ProjectModel {
  /** Storage number and public id of the project. */
  readonly project: { readonly number: number; readonly id: string; readonly name: string };
  /** Of the data it was read from; a restore or a promoted standby changes it. */
  readonly epoch: string;
  /** Sequence of the last change of the model. */
  readonly sequence: number;
  /** That of the last one that renamed elements, and changed nothing else of their type. */
  readonly namesSequence: number;
  /** Of its stored form. */
  readonly characters: number;
  readonly languages: readonly Language[];
  readonly defaultLanguage: Language;
  readonly types: readonly ContentType[];
  readonly snippets: readonly Snippet[];
  readonly taxonomies: readonly TaxonomyGroup[];
  readonly sitemap: readonly SitemapNode[];
  readonly languageById: ReadonlyMap<string, Language>;
  readonly languageByCodename: ReadonlyMap<string, Language>;
  readonly languageByNumber: ReadonlyMap<number, Language>;
  readonly typeById: ReadonlyMap<string, ContentType>;
  readonly typeByCodename: ReadonlyMap<string, ContentType>;
  readonly typeByNumber: ReadonlyMap<number, ContentType>;
  readonly snippetById: ReadonlyMap<string, Snippet>;
  readonly taxonomyById: ReadonlyMap<string, TaxonomyGroup>;
  readonly taxonomyByCodename: ReadonlyMap<string, TaxonomyGroup>;
  readonly sitemapNodeById: ReadonlyMap<string, SitemapNode>;
}

/** Number of the view (language × channel) in the table of resolved documents. */
export function viewOf(language: Language, channel: Channel): number {
  return language.number * 2 + (channel === 'published' ? 0 : 1);
}

/** Of all languages, with each channel. */
export function viewsOf({ languages }: Pick<ProjectModel, 'languages'>): number[] {
  return languages.flatMap((language) => CHANNELS.map((channel) => viewOf(language, channel)));
}

/** The language and its fallback languages, nearest first, without inactive ones. */
export function fallbackChain(model: ProjectModel, language: Language): Language[] {
  const chain: Language[] = [];
  const seen = new Set<string>();
  let at: Language | undefined = language;
  while (at && !seen.has(at.id)) {
    seen.add(at.id);
    if (at.isActive) chain.push(at);
    at = at.fallback === null ? undefined : model.languageById.get(at.fallback);
  }
  return chain;
}

export function activeLanguages({ languages }: Pick<ProjectModel, 'languages'>): Language[] {
  return languages.filter(({ isActive }) => isActive);
}

/** Whether the language is the other one or falls back to it, also by way of inactive languages. */
export function fallsBackTo(model: ProjectModel, language: Language, other: Language): boolean {
  const seen = new Set<string>();
  for (let at: Language | undefined = language; at && !seen.has(at.id); ) {
    if (at.id === other.id) return true;
    seen.add(at.id);
    at = at.fallback === null ? undefined : model.languageById.get(at.fallback);
  }
  return false;
}
