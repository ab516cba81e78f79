import type { previewEn } from './preview-en.ts';

export const previewDe: typeof previewEn = {
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
