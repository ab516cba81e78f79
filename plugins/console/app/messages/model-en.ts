/** Texts of the screens of the content model. */
export const modelEn = {
  title: 'Content model',
  parts: 'Parts of the content model',
  types: 'Content types',
  snippets: 'Snippets',
  taxonomies: 'Taxonomies',
  sitemap: 'Sitemap',
  languages: 'Languages',
  name: 'Name',
  codename: 'Codename',
  codenameHint: 'What applications request. It stays when the name changes.',
  elements: 'Elements',
  changed: 'Last change',
  acts: 'Actions',
  none: 'There is none yet.',
  search: 'Search',
  noneFound: 'Nothing has this text in its name.',
  addType: 'Add a content type',
  addSnippet: 'Add a snippet',
  newType: 'New content type',
  newSnippet: 'New snippet',
  addTaxonomy: 'Add a taxonomy group',
  delete: 'Delete',
  deleteOf: (name: string) => `Delete ${name}`,
  deleted: (name: string) => `${name} was deleted.`,
  archived: (name: string) => `${name} was deleted. It can be restored.`,
  restore: 'Restore',
  restored: (name: string) => `${name} was restored.`,
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  saveReviewed: 'Save …',
  saveNow: 'Save now',
  saved: (name: string) => `${name} was saved.`,
  undo: 'Undo',
  redo: 'Redo',
  undoSaved: 'Undo what was saved',
  undoSavedHint: 'Puts the form back to what was there before. Save it to make it so.',
  undoImpossible: 'What was removed cannot be put back with its values.',
  isChanged: 'There are changes that are not saved.',
  isUnchanged: 'Everything is saved.',
  up: (name: string) => `Move ${name} up`,
  down: (name: string) => `Move ${name} down`,
  inward: (name: string) => `Move ${name} below the one above`,
  outward: (name: string) => `Move ${name} out`,
  remove: (name: string) => `Remove ${name}`,
  edit: (name: string) => `Edit ${name}`,
  drag: 'Drag to move',
  movedTo: (name: string, place: number, count: number) => `${name} is at ${place} of ${count}.`,
  groups: 'Groups',
  addGroup: 'Add a group',
  newGroup: 'New group',
  groupOf: 'Group',
  addElement: 'Add an element',
  kind: 'Kind',
  unnamed: 'Without a name',
  required: 'A value is required',
  guidelines: 'Guidelines for editors',
  kinds: {
    text: 'Text',
    rich_text: 'Rich text',
    number: 'Number',
    date_time: 'Date and time',
    multiple_choice: 'Multiple choice',
    asset: 'Assets',
    modular_content: 'Linked items',
    taxonomy: 'Taxonomy',
    url_slug: 'URL slug',
    custom: 'Custom element',
    guidelines: 'Guidelines',
    snippet: 'Snippet',
  },
  settings: {
    guidelines: 'Guidelines',
    is_required: 'Required',
    content_group: 'Group',
    maximum_text_length: 'Longest text',
    allowed_content_types: 'Allowed content types',
    maximum_image_size: 'Largest image in bytes',
    maximum_file_size: 'Largest file in bytes',
    allowed_image_types: 'Allowed images',
    allowed_file_types: 'Allowed files',
    image_width_limit: 'Width of images in pixels',
    image_height_limit: 'Height of images in pixels',
    asset_count_limit: 'Number of assets',
    item_count_limit: 'Number of items',
    term_count_limit: 'Number of terms',
    mode: 'How many can be chosen',
    options: 'Options',
    taxonomy_group: 'Taxonomy group',
    depends_on: 'Made from',
    source_url: 'Address of the page',
    json_parameters: 'Parameters (JSON)',
    allowed_elements: 'Elements it may read',
    snippet: 'Snippet',
  },
  noLimit: 'No limit',
  units: { words: 'Words at most', characters: 'Characters at most' },
  conditions: { at_most: 'At most', exactly: 'Exactly', at_least: 'At least' },
  limitOf: (setting: string) => `${setting}: number`,
  fileTypes: { any: 'All', adjustable: 'Only images that can be transformed' },
  modes: { single: 'One', multiple: 'Any number' },
  allTypes: 'None chosen: all are allowed.',
  addOption: 'Add an option',
  optionName: 'Name of the option',
  optionCodename: 'Codename of the option',
  chooseFirst: 'Choose …',
  noneToChoose: 'There is nothing to choose from.',
  addTerm: 'Add a term',
  addNode: 'Add a location',
  addBelow: (name: string) => `Add below ${name}`,
  newTerm: 'New term',
  newNode: 'New location',
  terms: 'Terms',
  conflictTitle: 'Someone else saved a change',
  conflict: 'Someone else changed this meanwhile. Nothing of yours is lost; this is what they changed:',
  conflictGone: 'Someone else deleted this meanwhile.',
  takeTheirs: 'Take theirs',
  keepMine: 'Add my changes to theirs',
  changes: {
    renamed: (what: string, before: string, after: string) => `${what} “${before}” is now “${after}”.`,
    codename: (what: string, name: string, before: string, after: string) =>
      `${what} “${name}”: the codename ${before} is now ${after}.`,
    added: (what: string, name: string) => `${what} “${name}” is added.`,
    removed: (what: string, name: string) => `${what} “${name}” is removed.`,
    moved: (what: string, name: string) => `${what} “${name}” is at another place.`,
    settings: (what: string, name: string, settings: string) => `${what} “${name}”: ${settings}.`,
    element: 'Element',
    group: 'Group',
    option: 'Option',
    term: 'Term',
    location: 'Location',
    self: 'The name',
    otherwise: 'Other details changed.',
  },
  impact: {
    title: (name: string) => `What saving “${name}” does`,
    deleteTitle: (name: string) => `Delete “${name}”?`,
    counting: 'Counting what it affects …',
    changes: 'What you change',
    content: 'Content',
    readers: 'Readers and applications',
    nothing: 'No content is affected.',
    items: (count: number) =>
      count === 1 ? 'One item is of this model.' : `${number(count)} items are concerned.`,
    components: (count: number) =>
      count === 1 ? 'One item has such components.' : `${number(count)} items have such components.`,
    values: (name: string, count: number) =>
      count === 1 ? `One item has a value in “${name}”.` : `${number(count)} items have values in “${name}”.`,
    loses: (name: string, count: number) =>
      count === 0
        ? `No item has a value in “${name}”, which is removed.`
        : count === 1
          ? `One item has a value in “${name}”, which is removed; readers and editors do not get it any more.`
          : `${number(count)} items have values in “${name}”, which is removed; readers and editors do not get them any more.`,
    notCounted: (name: string) => `Values in “${name}” were not counted, because many elements change.`,
    breaks: (name: string, rule: string, count: number, isComplete: boolean) =>
      `“${name}”, ${rule}: ${
        isComplete
          ? count === 0
            ? 'every item follows it.'
            : count === 1
              ? 'one item does not follow it, and cannot be published again before that is changed.'
              : `${number(count)} items do not follow it, and cannot be published again before that is changed.`
          : `${number(count)} items or more do not follow it; not all were examined.`
      }`,
    removed: (name: string, count: number) =>
      count === 1
        ? `One item has “${name}”, which is removed.`
        : `${number(count)} items have “${name}”, which is removed.`,
    archivedItems: (count: number) =>
      count === 1
        ? 'One archived item is deleted for good.'
        : `${number(count)} archived items are deleted for good.`,
    documents: (count: number) =>
      count === 0
        ? 'No document is compiled again.'
        : count === 1
          ? 'One document is compiled again; readers get the change at once.'
          : `${number(count)} documents are compiled again in the background; readers get the change at once.`,
    codename: (before: string, after: string) =>
      `The codename ${before} becomes ${after}. Applications that request or filter by ${before} get nothing.`,
    codenameGone: (before: string) =>
      `The codename ${before} is gone. Applications that request or filter by ${before} get nothing.`,
    requests: (calls: number | null, days: number) =>
      calls === null
        ? 'Which codenames applications request is not recorded.'
        : `Which codenames applications request is not recorded; there were ${number(calls)} calls of delivery and preview in the last ${days} days.`,
    recompiling:
      'An earlier change is still being compiled, so values of new elements may be missing in these counts.',
    language: (name: string, before: string, after: string) =>
      `Readers of ${name} get ${before} now, and then ${after}.`,
    readerItems: (own: number, fallback: number) =>
      fallback === 0
        ? `${number(own)} items`
        : `${number(own)} items in the language and ${number(fallback)} of its fallback`,
    more: (count: number) => `… and ${number(count)} more.`,
  },
  recompiling: 'Documents are compiled again',
  language: {
    add: 'Add a language',
    edit: (name: string) => `Edit ${name}`,
    state: 'State',
    active: 'Active',
    inactive: 'Inactive',
    isDefault: 'Default',
    defaultHint:
      'The default language is fixed: its id is part of the API. It is always active and has no fallback.',
    fallback: 'Falls back to',
    noFallback: 'No language',
    isActive: 'Active: content in it can be read and written',
  },
};

function number(value: number): string {
  return new Intl.NumberFormat('en').format(value);
}
