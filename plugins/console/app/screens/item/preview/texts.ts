import { language } from '../../../preferences.ts';

const en = {
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

const de: typeof en = {
  open: 'Vorschau',
  close: 'Vorschau schließen',
  title: 'Vorschau',
  views: 'Was die Vorschau zeigt',
  site: 'Website',
  json: 'JSON',
  jsonOf: 'Was die Preview-API für diesen Inhalt und diese Sprache antwortet',
  noVariant: 'In dieser Sprache gibt es noch nichts zu sehen. Speichern Sie den Inhalt zuerst.',
  noUrl: 'Für diesen Typ und diese Sprache ist keine Website eingetragen.',
  noUrlSeen: 'Wer das Projekt verwalten darf, kann eine eintragen.',
  missing: (placeholder) =>
    `Die Adresse der Website enthält ${placeholder}; dieser Inhalt hat dafür noch keinen Wert.`,
  frame: (name) => `${name} auf der Website`,
  newTab: 'In neuem Tab öffnen',
  savedOnly: 'Zeigt, was gespeichert ist. Nach jedem Speichern wird neu geladen.',
  configure: 'Adressen der Website …',
  configureTitle: 'Adressen der Website',
  configureHint: (placeholders) =>
    `Platzhalter hinter dem Servernamen: ${placeholders}. Passen mehrere Adressen, zählt eine für den Typ vor einer für die Sprache.`,
  type: 'Typ',
  language: 'Sprache',
  all: 'Alle',
  url: 'Adresse',
  add: 'Adresse hinzufügen',
  remove: (index) => `Adresse ${index} entfernen`,
  save: 'Speichern',
};

export const previewTexts = () => (language.value === 'de' ? de : en);
