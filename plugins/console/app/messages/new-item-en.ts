/** Texts about creating an item. */
export const newItemEn = {
  title: 'New item',
  name: 'Name',
  type: 'Content type',
  language: 'Language to write it in',
  codename: 'Codename',
  codenameHint: 'Programs that read the content find the item by it. Without one it is made from the name.',
  locations: 'Locations in the sitemap; none is needed',
  create: 'Create the item',
  created: (name: string) => `“${name}” was created.`,
  noTypes: 'An item needs a content type, and this project has none.',
  types: 'Content types',
  notPermitted: 'Your roles do not include creating items of any content type of this project.',
  cancel: 'Cancel',
};
