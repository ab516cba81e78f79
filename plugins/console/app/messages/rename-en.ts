/** Texts about name, codename and sitemap locations of an item. */
export const renameEn = {
  open: 'Name and place …',
  title: 'Name and place of the item',
  name: 'Name',
  codename: 'Codename',
  codenameHint:
    'Programs that read the content find the item by it. One that was made from the name follows the name.',
  locations: 'Locations in the sitemap; none takes the item out of the sitemap',
  back: 'Back',
  review: 'Save …',
  save: 'Save now',
  nothing: 'Nothing changes.',
  changes: 'This changes:',
  change: (what: string, before: string, after: string) => `${what}: “${before}” becomes “${after}”`,
  sitemap: 'Locations in the sitemap',
  noLocation: 'none',
  atOnce: (languages: string) =>
    `It is effective at once, without publishing, also for readers. The item is public in: ${languages}.`,
  notPublic: 'The item is not public in any language, so readers notice nothing.',
  onlyLinked:
    'The item is not public in any language, but readers see its codename where public content links it.',
  gone: (codename: string) => `Programs that ask for the item by “${codename}” will not find it any more.`,
  saved: 'The item was changed.',
  undo: 'Undo',
  undone: 'The item is as it was before.',
  close: 'Close',
};
