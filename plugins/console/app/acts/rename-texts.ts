import { language } from '../preferences.ts';

const en = {
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
  gone: (codename: string) => `Programs that ask for the item by “${codename}” will not find it any more.`,
  saved: 'The item was changed.',
  undo: 'Undo',
  undone: 'The item is as it was before.',
  close: 'Close',
};

const de: typeof en = {
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
  gone: (codename) => `Programme, die den Inhalt mit „${codename}“ anfragen, finden ihn nicht mehr.`,
  saved: 'Der Inhalt wurde geändert.',
  undo: 'Rückgängig',
  undone: 'Der Inhalt ist wieder wie zuvor.',
  close: 'Schließen',
};

/** The texts about name, codename and sitemap locations of an item. */
export const renameTexts = () => (language.value === 'de' ? de : en);
