import type { renameEn } from './rename-en.ts';

export const renameDe: typeof renameEn = {
  open: 'Name und Ort …',
  title: 'Name und Ort des Inhalts',
  name: 'Name',
  codename: 'Codename',
  codenameHint:
    'Programme, die Inhalte lesen, finden den Inhalt damit. Wurde er aus dem Namen gebildet, folgt er ihm.',
  locations: 'Orte in der Sitemap; ohne einen steht der Inhalt nicht in der Sitemap',
  back: 'Zurück',
  review: 'Speichern …',
  save: 'Jetzt speichern',
  nothing: 'Es ändert sich nichts.',
  changes: 'Das ändert sich:',
  change: (what, before, after) => `${what}: aus „${before}“ wird „${after}“`,
  sitemap: 'Orte in der Sitemap',
  noLocation: 'keiner',
  atOnce: (languages) =>
    `Es gilt sofort, ohne Veröffentlichung, auch für Leser. Der Inhalt ist öffentlich in: ${languages}.`,
  notPublic: 'Der Inhalt ist in keiner Sprache öffentlich; Leser bemerken nichts.',
  onlyLinked:
    'Der Inhalt ist in keiner Sprache öffentlich, aber Leser sehen seinen Codenamen, wo öffentlicher Inhalt auf ihn verweist.',
  gone: (codename) => `Programme, die den Inhalt mit „${codename}“ anfragen, finden ihn nicht mehr.`,
  saved: 'Der Inhalt wurde geändert.',
  undo: 'Rückgängig',
  undone: 'Der Inhalt ist wieder wie zuvor.',
  close: 'Schließen',
};
