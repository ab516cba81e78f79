import type { savingEn } from './saving-en.ts';

export const savingDe: typeof savingEn = {
  retry: 'Es wird von selbst erneut versucht.',
  offline: (count) =>
    count === 1
      ? 'Es gibt keine Verbindung. Ein Element ist noch nicht gespeichert; das geschieht, sobald es eine gibt.'
      : `Es gibt keine Verbindung. ${count} Elemente sind noch nicht gespeichert; das geschieht, sobald es eine gibt.`,
  refused: (count) =>
    count === 1
      ? 'Der Server hat ein Element abgelehnt; dort steht, was falsch ist.'
      : `Der Server hat ${count} Elemente abgelehnt; dort steht, was falsch ist.`,
  conflicts: (count) =>
    count === 1
      ? 'Ein Element haben Sie und jemand anderes geändert: Wählen Sie eine Fassung.'
      : `${count} Elemente haben Sie und jemand anderes geändert: Wählen Sie jeweils eine Fassung.`,
  publishFindings: (count) =>
    count === 1
      ? 'Der Plan zur Veröffentlichung hat in einem Element etwas gefunden; dort steht es.'
      : `Der Plan zur Veröffentlichung hat in ${count} Elementen etwas gefunden; dort steht es.`,
  dangling: {
    missing: (to) => `Dies verweist auf „${to}“, das es nicht gibt.`,
    archived: (to) => `Dies verweist auf „${to}“, das archiviert ist: Leser erreichen es nicht.`,
    unpublished: (to) => `Dies verweist auf „${to}“, das nicht öffentlich ist: Leser erreichen es nicht.`,
  },
  show: 'Zeigen',
  publishClosed: 'Wählen Sie zuerst, welche Fassungen bleiben.',
  obstacles: {
    item: 'Dieser Inhalt wurde archiviert oder gelöscht, während Sie ihn offen hatten. Darin lässt sich nichts speichern.',
    variant:
      'Die Fassung in dieser Sprache wurde archiviert oder gelöscht, während Sie sie offen hatten. Bis Sie entscheiden, wird nichts gespeichert.',
    language:
      'Diese Sprache wurde abgeschaltet, während Sie sie offen hatten. Darin lässt sich nichts speichern.',
    project:
      'Dieses Projekt wurde archiviert, deshalb wird nichts gespeichert. Ein Betreiber kann es wiederherstellen.',
    forbidden: 'Sie dürfen diesen Inhalt nicht mehr ändern. Es lässt sich nichts speichern.',
  },
  publishedMeanwhile:
    'Dies wurde veröffentlicht, während Sie es offen hatten. Legen Sie eine neue Version an: Darin wird gespeichert, was Sie geschrieben haben.',
  unsaved: 'Was Sie geschrieben haben, ist noch hier:',
  saveAgain: 'Als neuen Entwurf speichern',
  restoreItem: 'Inhalt wiederherstellen',
  saveNew: 'Als neuen Inhalt speichern',
  copyOf: (name) => `${name} (Kopie)`,
  openNew: 'Neuen Inhalt öffnen',
  duplicate: 'Duplizieren',
  duplicated: (name) => `Das ist „${name}“, ein Entwurf.`,
  duplicatedPartly: (name, elements) =>
    `Das ist „${name}“, ein Entwurf ohne das, was der Server abgelehnt hat: ${elements.join(', ')}.`,
  copy: 'Text kopieren',
  typed: 'Was Sie geschrieben haben',
  giveUp: 'Geschriebenes verwerfen',
  removed:
    'Der Inhaltstyp hat diese Elemente nicht mehr. Was Sie darin geschrieben haben, lässt sich nicht speichern:',
  removedHere: 'Der Inhaltstyp hat dieses Element nicht mehr. Es lässt sich nicht speichern.',
  typeHasNew: (names) => `Der Inhaltstyp hat neue Elemente: ${names.join(', ')}.`,
  typeChanged: 'Der Inhaltstyp wurde geändert, seit Sie dieses Formular geöffnet haben.',
  loadType: 'Das Formular zeigen, wie es jetzt ist',
  discardDraft: 'Entwurf verwerfen …',
  discardTitle: 'Entwurf verwerfen',
  discardLoses: 'Die öffentliche Version wird wieder die neueste. Das geht verloren:',
  discardNothing: 'Der Entwurf sagt dasselbe wie die öffentliche Version.',
  discardBy: (who, time) => `Der Entwurf ist von ${who}, ${time}.`,
  discardSchedule: (time) => `Er wäre am ${time} veröffentlicht worden; das wird abgesagt.`,
  discardUndo: 'Die Version bleibt im Verlauf und lässt sich dort wiederherstellen.',
  discardYes: 'Verwerfen',
  discarded: 'Der Entwurf ist verworfen.',
  installation: 'der Installation',
};
