/** Texts about saving an item. */
export const savingEn = {
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
  duplicatedPartly: (name: string, elements: readonly string[]) =>
    `This is “${name}”, a draft without what the server refused: ${elements.join(', ')}.`,
  copy: 'Copy the text',
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
