import type { newItemEn } from './new-item-en.ts';

export const newItemDe: typeof newItemEn = {
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
