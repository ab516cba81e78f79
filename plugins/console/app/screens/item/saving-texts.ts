import { language } from '../../preferences.ts';

const en = {
  retry: 'It is tried again by itself.',
  offline: (count: number) =>
    count === 1
      ? 'There is no connection. One element is not saved yet; it is saved as soon as there is one.'
      : `There is no connection. ${count} elements are not saved yet; they are saved as soon as there is one.`,
  refused: (count: number) =>
    count === 1
      ? 'The server refused one element; what is wrong is said there.'
      : `The server refused ${count} elements; what is wrong is said there.`,
  conflicts: (count: number) =>
    count === 1
      ? 'One element was changed by you and by someone else: choose a version.'
      : `${count} elements were changed by you and by someone else: choose a version of each.`,
  publishFindings: (count: number) =>
    count === 1
      ? 'The plan to publish found something in one element; it is said there.'
      : `The plan to publish found something in ${count} elements; it is said there.`,
  dangling: {
    missing: (to: string) => `This links to “${to}”, which does not exist.`,
    archived: (to: string) => `This links to “${to}”, which is archived: readers cannot get it.`,
    unpublished: (to: string) => `This links to “${to}”, which is not public: readers cannot get it.`,
  },
  show: 'Show',
  publishClosed: 'Choose the versions to keep first.',
  obstacles: {
    item: 'This item was archived or deleted while you had it open, so nothing can be saved in it.',
    variant:
      'The content in this language was archived or deleted while you had it open. Nothing is saved until you decide.',
    language: 'This language was deactivated while you had it open, so nothing can be saved in it.',
    project: 'This project was archived, so nothing can be saved. An operator can restore it.',
    forbidden: 'You may not change this item any more, so nothing can be saved.',
  },
  publishedMeanwhile:
    'This was published while you had it open. Make a new version, and what you typed is saved in it.',
  unsaved: 'What you typed is still here:',
  saveAgain: 'Save it as a new draft',
  restoreItem: 'Restore the item',
  saveNew: 'Save it as a new item',
  copyOf: (name: string) => `${name} (copy)`,
  openNew: 'Open the new item',
  duplicate: 'Duplicate',
  duplicated: (name: string) => `This is “${name}”, a draft.`,
  copy: 'Copy the text',
  copied: 'The text is in the clipboard.',
  typed: 'What you typed',
  giveUp: 'Discard what you typed',
  removed: 'The content type no longer has these elements, so what you typed in them cannot be saved:',
  removedHere: 'The content type no longer has this element, so it cannot be saved.',
  typeHasNew: (names: readonly string[]) => `The content type has new elements: ${names.join(', ')}.`,
  typeChanged: 'The content type was changed since you opened this form.',
  loadType: 'Show the form as it is now',
  discardDraft: 'Discard the draft …',
  discardTitle: 'Discard the draft',
  discardLoses: 'The public version becomes the latest one again. What you lose:',
  discardNothing: 'The draft says the same as the public version.',
  discardBy: (who: string, time: string) => `The draft was written by ${who} on ${time}.`,
  discardSchedule: (time: string) => `It would have been published on ${time}; that is canceled.`,
  discardUndo: 'The version stays in the history and can be restored from there.',
  discardYes: 'Discard it',
  discarded: 'The draft was discarded.',
  installation: 'the installation',
};

const de: typeof en = {
  retry: 'Es wird von selbst erneut versucht.',
  offline: (count) =>
    count === 1
      ? 'Es gibt keine Verbindung. Ein Feld ist noch nicht gespeichert; das geschieht, sobald es eine gibt.'
      : `Es gibt keine Verbindung. ${count} Felder sind noch nicht gespeichert; das geschieht, sobald es eine gibt.`,
  refused: (count) =>
    count === 1
      ? 'Der Server hat ein Feld abgelehnt; dort steht, was falsch ist.'
      : `Der Server hat ${count} Felder abgelehnt; dort steht, was falsch ist.`,
  conflicts: (count) =>
    count === 1
      ? 'Ein Feld haben Sie und jemand anderes geändert: Wählen Sie eine Fassung.'
      : `${count} Felder haben Sie und jemand anderes geändert: Wählen Sie jeweils eine Fassung.`,
  publishFindings: (count) =>
    count === 1
      ? 'Der Plan zur Veröffentlichung hat in einem Feld etwas gefunden; dort steht es.'
      : `Der Plan zur Veröffentlichung hat in ${count} Feldern etwas gefunden; dort steht es.`,
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
  copy: 'Text kopieren',
  copied: 'Der Text ist in der Zwischenablage.',
  typed: 'Was Sie geschrieben haben',
  giveUp: 'Geschriebenes verwerfen',
  removed:
    'Der Inhaltstyp hat diese Felder nicht mehr. Was Sie darin geschrieben haben, lässt sich nicht speichern:',
  removedHere: 'Der Inhaltstyp hat dieses Feld nicht mehr. Es lässt sich nicht speichern.',
  typeHasNew: (names) => `Der Inhaltstyp hat neue Felder: ${names.join(', ')}.`,
  typeChanged: 'Der Inhaltstyp wurde geändert, seit Sie dieses Formular geöffnet haben.',
  loadType: 'Das Formular zeigen, wie es jetzt ist',
  discardDraft: 'Entwurf verwerfen …',
  discardTitle: 'Entwurf verwerfen',
  discardLoses: 'Die öffentliche Version wird wieder die neueste. Das geht verloren:',
  discardNothing: 'Der Entwurf sagt dasselbe wie die öffentliche Version.',
  discardBy: (who, time) => `Der Entwurf ist von ${who}, ${time}.`,
  discardSchedule: (time) => `Er wäre am ${time} veröffentlicht worden; das wird abgesagt.`,
  discardUndo: 'Die Version bleibt in der Geschichte und lässt sich dort wiederherstellen.',
  discardYes: 'Verwerfen',
  discarded: 'Der Entwurf ist verworfen.',
  installation: 'der Installation',
};

/** The texts about saving. */
export const savingTexts = () => (language.value === 'de' ? de : en);
