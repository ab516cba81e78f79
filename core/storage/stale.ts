/** What can change under a compiled document, as kept in the `pending` table. */
export const STALE = {
  /** everything of the project: its sitemap, the vendor's names baked into the bytes */
  project: 0,
  /** a language's codename; target = language number */
  language: 1,
  /** a content type, its snippets, options or taxonomies, its codename in hyperlinks; target = type number */
  type: 2,
  /** an item's codename, url slug or visibility, as others link to it; target = item number */
  item: 3,
  /** an asset's file or descriptions; target = asset number */
  asset: 4,
} as const;

export type StaleKind = keyof typeof STALE;

/** What a document was compiled from, as kept in the `uses` table. */
export const USE = {
  /** linked item that readers get in `modular_content` */
  linkedItem: 1,
  /** item that a hyperlink in rich text points to */
  hyperlink: 2,
  asset: 3,
  /** type of a component inside the document */
  componentType: 4,
} as const;
