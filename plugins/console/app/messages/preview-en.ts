/** Texts of the preview of an item. */
export const previewEn = {
  open: 'Preview',
  close: 'Close the preview',
  title: 'Preview',
  views: 'What the preview shows',
  site: 'Site',
  json: 'JSON',
  jsonOf: 'What the preview API answers for this item and language',
  noVariant: 'Readers of the preview get nothing in this language yet. Save the item first.',
  noUrl: 'No site is configured for this type and language.',
  noUrlSeen: 'Someone with the permission to manage the project can add one.',
  missing: (placeholder: string) =>
    `The address of the site contains ${placeholder}, which this item does not have yet.`,
  frame: (name: string) => `${name} on the site`,
  newTab: 'Open in a new tab',
  savedOnly: 'Shows what is saved. It is loaded again after each save.',
  configure: 'Addresses of the site …',
  configureTitle: 'Addresses of the site',
  configureHint: (placeholders: string) =>
    `Placeholders behind the host: ${placeholders}. Of several addresses that fit, one for the type counts before one for the language.`,
  type: 'Type',
  language: 'Language',
  all: 'All',
  url: 'Address',
  add: 'Add an address',
  remove: (index: number) => `Remove address ${index}`,
  save: 'Save',
};
