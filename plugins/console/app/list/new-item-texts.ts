import { language } from '../preferences.ts';

const en = {
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

const de: typeof en = {
  title: 'Neuer Inhalt',
  name: 'Name',
  type: 'Inhaltstyp',
  language: 'Sprache, in der er geschrieben wird',
  codename: 'Codename',
  codenameHint:
    'Programme, die Inhalte lesen, finden den Inhalt damit. Ohne Angabe wird er aus dem Namen gebildet.',
  locations: 'Orte in der Sitemap; keiner ist nötig',
  create: 'Inhalt anlegen',
  created: (name) => `„${name}“ wurde angelegt.`,
  noTypes: 'Ein Inhalt braucht einen Inhaltstyp, und dieses Projekt hat keinen.',
  types: 'Inhaltstypen',
  notPermitted: 'Ihre Rollen erlauben in diesem Projekt nicht, Inhalte anzulegen.',
  cancel: 'Abbrechen',
};

/** The texts about creating an item. */
export const newItemTexts = () => (language.value === 'de' ? de : en);
