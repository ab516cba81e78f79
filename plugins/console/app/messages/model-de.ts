import type { modelEn } from './model-en.ts';

export const modelDe: typeof modelEn = {
  title: 'Inhaltsmodell',
  parts: 'Teile des Inhaltsmodells',
  types: 'Inhaltstypen',
  snippets: 'Bausteine',
  taxonomies: 'Taxonomien',
  sitemap: 'Sitemap',
  languages: 'Sprachen',
  name: 'Name',
  codename: 'Codename',
  codenameHint: 'Was Anwendungen abfragen. Er bleibt, wenn sich der Name ändert.',
  elements: 'Elemente',
  changed: 'Letzte Änderung',
  acts: 'Aktionen',
  none: 'Es gibt noch keine Einträge.',
  search: 'Suchen',
  noneFound: 'Kein Name enthält diesen Text.',
  addType: 'Inhaltstyp hinzufügen',
  addSnippet: 'Baustein hinzufügen',
  newType: 'Neuer Inhaltstyp',
  newSnippet: 'Neuer Baustein',
  addTaxonomy: 'Taxonomiegruppe hinzufügen',
  delete: 'Löschen',
  deleteOf: (name) => `${name} löschen`,
  deleted: (name) => `${name} wurde gelöscht.`,
  archived: (name) => `${name} wurde gelöscht und kann wiederhergestellt werden.`,
  restore: 'Wiederherstellen',
  restored: (name) => `${name} wurde wiederhergestellt.`,
  cancel: 'Abbrechen',
  close: 'Schließen',
  save: 'Speichern',
  saveReviewed: 'Speichern …',
  saveNow: 'Jetzt speichern',
  saved: (name) => `${name} wurde gespeichert.`,
  undo: 'Rückgängig',
  redo: 'Wiederholen',
  undoSaved: 'Gespeichertes rückgängig machen',
  undoSavedHint: 'Stellt im Formular her, was vorher da war. Zum Übernehmen speichern.',
  undoImpossible: 'Was entfernt wurde, lässt sich mit seinen Werten nicht zurückholen.',
  isChanged: 'Es gibt Änderungen, die nicht gespeichert sind.',
  isUnchanged: 'Alles ist gespeichert.',
  up: (name) => `${name} nach oben`,
  down: (name) => `${name} nach unten`,
  inward: (name) => `${name} unter den Eintrag darüber`,
  outward: (name) => `${name} eine Ebene höher`,
  remove: (name) => `${name} entfernen`,
  edit: (name) => `${name} bearbeiten`,
  drag: 'Zum Verschieben ziehen',
  movedTo: (name, place, count) => `${name} ist an Stelle ${place} von ${count}.`,
  groups: 'Gruppen',
  addGroup: 'Gruppe hinzufügen',
  newGroup: 'Neue Gruppe',
  groupOf: 'Gruppe',
  addElement: 'Element hinzufügen',
  kind: 'Art',
  unnamed: 'Ohne Namen',
  required: 'Ein Wert ist erforderlich',
  guidelines: 'Hinweise für die Redaktion',
  kinds: {
    text: 'Text',
    rich_text: 'Formatierter Text',
    number: 'Zahl',
    date_time: 'Datum und Uhrzeit',
    multiple_choice: 'Auswahl',
    asset: 'Dateien',
    modular_content: 'Verknüpfte Inhalte',
    taxonomy: 'Taxonomie',
    url_slug: 'URL-Kürzel',
    custom: 'Eigenes Element',
    guidelines: 'Hinweise',
    snippet: 'Baustein',
  },
  settings: {
    guidelines: 'Hinweise',
    is_required: 'Erforderlich',
    content_group: 'Gruppe',
    maximum_text_length: 'Längster Text',
    allowed_content_types: 'Erlaubte Inhaltstypen',
    maximum_image_size: 'Größtes Bild in Bytes',
    maximum_file_size: 'Größte Datei in Bytes',
    allowed_image_types: 'Erlaubte Bilder',
    allowed_file_types: 'Erlaubte Dateien',
    image_width_limit: 'Breite von Bildern in Pixeln',
    image_height_limit: 'Höhe von Bildern in Pixeln',
    asset_count_limit: 'Anzahl der Dateien',
    item_count_limit: 'Anzahl der Inhalte',
    term_count_limit: 'Anzahl der Begriffe',
    mode: 'Wie viele gewählt werden können',
    options: 'Optionen',
    taxonomy_group: 'Taxonomiegruppe',
    depends_on: 'Entsteht aus',
    source_url: 'Adresse der Seite',
    json_parameters: 'Parameter (JSON)',
    allowed_elements: 'Elemente, die es lesen darf',
    snippet: 'Baustein',
  },
  noLimit: 'Keine Grenze',
  units: { words: 'Höchstens so viele Wörter', characters: 'Höchstens so viele Zeichen' },
  conditions: { at_most: 'Höchstens', exactly: 'Genau', at_least: 'Mindestens' },
  limitOf: (setting) => `${setting}: Zahl`,
  fileTypes: { any: 'Alle', adjustable: 'Nur Bilder, die umgewandelt werden können' },
  modes: { single: 'Eine', multiple: 'Beliebig viele' },
  allTypes: 'Nichts gewählt: alle sind erlaubt.',
  addOption: 'Option hinzufügen',
  optionName: 'Name der Option',
  optionCodename: 'Codename der Option',
  chooseFirst: 'Wählen …',
  noneToChoose: 'Es gibt nichts zur Auswahl.',
  addTerm: 'Begriff hinzufügen',
  addNode: 'Ort hinzufügen',
  addBelow: (name) => `Unter ${name} hinzufügen`,
  newTerm: 'Neuer Begriff',
  newNode: 'Neuer Ort',
  terms: 'Begriffe',
  conflictTitle: 'Jemand anderes hat eine Änderung gespeichert',
  conflict:
    'Jemand anderes hat das inzwischen geändert. Von Ihren Änderungen geht nichts verloren; das wurde geändert:',
  conflictGone: 'Jemand anderes hat das inzwischen gelöscht.',
  takeTheirs: 'Die anderen Änderungen übernehmen',
  keepMine: 'Meine Änderungen dazunehmen',
  changes: {
    renamed: (what, before, after) => `${what} „${before}“ heißt jetzt „${after}“.`,
    codename: (what, name, before, after) =>
      `${what} „${name}“: Der Codename ${before} lautet jetzt ${after}.`,
    added: (what, name) => `${what} „${name}“ kommt dazu.`,
    removed: (what, name) => `${what} „${name}“ wird entfernt.`,
    moved: (what, name) => `${what} „${name}“ steht an anderer Stelle.`,
    settings: (what, name, settings) => `${what} „${name}“: ${settings}.`,
    element: 'Element',
    group: 'Gruppe',
    option: 'Option',
    term: 'Begriff',
    location: 'Ort',
    self: 'Der Name',
    otherwise: 'Andere Angaben haben sich geändert.',
  },
  impact: {
    title: (name) => `Was das Speichern von „${name}“ bewirkt`,
    deleteTitle: (name) => `„${name}“ löschen?`,
    counting: 'Es wird gezählt, was betroffen ist …',
    changes: 'Was Sie ändern',
    content: 'Inhalte',
    readers: 'Leser und Anwendungen',
    nothing: 'Keine Inhalte sind betroffen.',
    items: (count) =>
      count === 1 ? 'Ein Inhalt ist betroffen.' : `${number(count)} Inhalte sind betroffen.`,
    components: (count) =>
      count === 1
        ? 'Ein Inhalt hat solche Komponenten.'
        : `${number(count)} Inhalte haben solche Komponenten.`,
    values: (name, count) =>
      count === 1
        ? `Ein Inhalt hat einen Wert in „${name}“.`
        : `${number(count)} Inhalte haben Werte in „${name}“.`,
    loses: (name, count) =>
      count === 0
        ? `Kein Inhalt hat einen Wert in „${name}“, das entfernt wird.`
        : count === 1
          ? `Ein Inhalt hat einen Wert in „${name}“, das entfernt wird; Leser und Redaktion erhalten ihn nicht mehr.`
          : `${number(count)} Inhalte haben Werte in „${name}“, das entfernt wird; Leser und Redaktion erhalten sie nicht mehr.`,
    notCounted: (name) => `Werte in „${name}“ wurden nicht gezählt, weil sich viele Elemente ändern.`,
    breaks: (name, rule, count, isComplete) =>
      `„${name}“, ${rule}: ${
        isComplete
          ? count === 0
            ? 'Alle Inhalte halten das ein.'
            : count === 1
              ? 'Ein Inhalt hält das nicht ein und kann erst nach einer Änderung wieder veröffentlicht werden.'
              : `${number(count)} Inhalte halten das nicht ein und können erst nach einer Änderung wieder veröffentlicht werden.`
          : `${number(count)} Inhalte oder mehr halten das nicht ein; nicht alle wurden geprüft.`
      }`,
    removed: (name, count) =>
      count === 1
        ? `Ein Inhalt hat „${name}“; der Eintrag wird entfernt.`
        : `${number(count)} Inhalte haben „${name}“; der Eintrag wird entfernt.`,
    archivedItems: (count) =>
      count === 1
        ? 'Ein archivierter Inhalt wird endgültig gelöscht.'
        : `${number(count)} archivierte Inhalte werden endgültig gelöscht.`,
    documents: (count) =>
      count === 0
        ? 'Kein Dokument wird neu erzeugt.'
        : count === 1
          ? 'Ein Dokument wird neu erzeugt; Leser erhalten die Änderung sofort.'
          : `${number(count)} Dokumente werden im Hintergrund neu erzeugt; Leser erhalten die Änderung sofort.`,
    codename: (before, after) =>
      `Der Codename ${before} wird zu ${after}. Anwendungen, die ${before} abfragen oder danach filtern, erhalten nichts.`,
    codenameGone: (before) =>
      `Den Codenamen ${before} gibt es dann nicht mehr. Anwendungen, die ${before} abfragen oder danach filtern, erhalten nichts.`,
    requests: (calls, days) =>
      calls === null
        ? 'Welche Codenamen Anwendungen abfragen, wird nicht aufgezeichnet.'
        : `Welche Codenamen Anwendungen abfragen, wird nicht aufgezeichnet; in den letzten ${days} Tagen gab es ${number(calls)} Aufrufe von Delivery und Preview.`,
    recompiling:
      'Eine frühere Änderung wird noch verarbeitet; Werte neuer Elemente können in diesen Zahlen fehlen.',
    language: (name, before, after) => `Leser von ${name} erhalten jetzt ${before}, danach ${after}.`,
    readerItems: (own, fallback) =>
      fallback === 0
        ? `${number(own)} Inhalte`
        : `${number(own)} Inhalte in der Sprache und ${number(fallback)} aus der Ersatzsprache`,
    more: (count) => `… und ${number(count)} weitere.`,
  },
  recompiling: 'Dokumente werden neu erzeugt',
  language: {
    add: 'Sprache hinzufügen',
    edit: (name) => `${name} bearbeiten`,
    state: 'Zustand',
    active: 'Aktiv',
    inactive: 'Inaktiv',
    isDefault: 'Standard',
    defaultHint:
      'Die Standardsprache steht fest: Ihre Id ist Teil der API. Sie ist immer aktiv und hat keine Ersatzsprache.',
    fallback: 'Ersatzsprache',
    noFallback: 'Keine',
    isActive: 'Aktiv: Inhalte darin können gelesen und geschrieben werden',
  },
};

function number(value: number): string {
  return new Intl.NumberFormat('de').format(value);
}
