/** What makes compiled documents stale, as stored in the table `pending`. */
export const STALE = {
  /** everything of the project: its sitemap, settings that are part of the bytes */
  project: 0,
  /** a language's codename; target = language number */
  language: 1,
  /** a content type, its snippets, options or taxonomies, its codename in hyperlinks; target = type number */
  type: 2,
  /** an item's codename, url slug or visibility, as documents that link to it show them; target = item number */
  item: 3,
  /** an asset's file or descriptions; target = asset number */
  asset: 4,
} as const;

export type StaleKind = keyof typeof STALE;

/** What has changed in a stale document: codenames and names of elements alone, or anything. */
export type StaleExtent = 'names' | 'all';

/**
 * Whether the row `p` of `pending` says more than new names. A version that does not know `names_sequence` changes the sequence
 * alone.
 */
export const BEYOND_NAMES = '(p.names_sequence IS NULL OR p.names_sequence <> p.sequence)';

/** What a document was compiled from, as stored in the table `uses`. */
export const USE = {
  /** linked item, which readers get in `modular_content` */
  linkedItem: 1,
  /** item that a hyperlink in rich text points to */
  hyperlink: 2,
  asset: 3,
  /** type of a component inside the document */
  componentType: 4,
} as const;
