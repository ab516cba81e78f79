/**
 * The forms of the console outside of the item editor and the content model, and what a test types in each.
 *
 * Not here, because there is nothing to keep: forms of passwords and of signing in; filters and columns, which are in the
 * address; acts on a selection, which ends with its page; a file that replaces another.
 */

export interface FilledForm {
  /** Path of its screen, below the project where it does not begin with `/`. */
  readonly at: string;
  /** Buttons and boxes that lead to it, one after the other. */
  readonly by: readonly (string | RegExp)[];
  /** What is typed, by labels; `true`: a box that is checked, `false`: one that is not any more. */
  readonly typed: Readonly<Record<string, string | boolean>>;
  readonly save: string;
  /** What follows the button, where that only shows the plan. */
  readonly confirm?: string;
  /** The plan is a dialog of its own. */
  readonly isPlanned?: true;
  /** It cannot be saved without more. */
  readonly isDropped?: true;
}

export const FORMS: Readonly<Record<string, FilledForm>> = {
  'a new webhook': {
    at: 'webhooks',
    by: ['Register a webhook …'],
    typed: {
      Name: 'Kept hook',
      URL: 'https://kept.example.org/hook',
      'These changes only': true,
      Archive: true,
    },
    save: 'Save',
  },
  'a webhook': {
    at: 'webhooks',
    by: [/^Edit/],
    typed: { Name: 'Renamed hook' },
    save: 'Save',
  },
  'a replay': {
    at: 'webhooks/WEBHOOK',
    by: ['Send again everything since …'],
    typed: { Since: '2026-01-02T03:04' },
    save: 'Send',
  },
  'a new person': {
    at: '/people',
    by: ['Add a person …'],
    typed: { Name: 'Kept person', 'Mail address': 'kept@example.org', Reader: true },
    save: 'Save',
  },
  'a person': { at: '/people', by: [/^Edit Ada/], typed: { Name: 'Ada King' }, save: 'Save' },
  'a role': {
    at: '/roles',
    by: ['Add a role …'],
    typed: { Name: 'Kept role', Codename: 'kept_role', 'Manage languages': true },
    save: 'Save',
  },
  'a key': {
    at: 'keys',
    by: ['Make a management key …'],
    typed: { 'Valid for days': '17' },
    save: 'Make the key',
  },
  'a new project': {
    at: '/projects',
    by: [],
    typed: { 'Name of a new project': 'Kept project' },
    save: 'Create',
  },
  'a copy of a project': {
    at: '/projects',
    by: [/^Copy/],
    typed: { 'Name of the new project': 'Kept copy' },
    save: 'Copy',
  },
  'an import': {
    at: '/projects',
    by: ['Import …'],
    typed: { 'Name; that of the archive when empty': 'Kept import' },
    save: 'Import',
    isDropped: true,
  },
  'a saved view': {
    at: 'content',
    by: [/views/i],
    typed: { 'Name of a new view': 'Kept view', 'Share it with everyone in the project': true },
    save: 'Save the view',
  },
  'a new item': {
    at: 'content',
    by: ['New item …'],
    typed: { Name: 'Kept item', 'Content type': 'place', Codename: 'kept_item' },
    save: 'Create the item',
  },
  'name and place of an item': {
    at: 'items/ITEM',
    by: ['Name and place …'],
    typed: { Name: 'Kept name' },
    save: 'Save …',
    confirm: 'Save now',
  },
  'addresses of the site': {
    at: 'items/ITEM',
    by: ['Preview', 'Site', 'Addresses of the site …', 'Add an address'],
    typed: { Address: 'https://kept.example.org/{Lang}' },
    save: 'Save',
  },
  'a new language': {
    at: 'languages',
    by: ['Add a language …'],
    typed: { Name: 'Kept language', Codename: 'kept' },
    save: 'Save',
  },
  'a language': {
    at: 'languages',
    by: [/^Edit Deutsch/],
    typed: { Name: 'Deutsch (kept)' },
    save: 'Save …',
    confirm: 'Save now',
    isPlanned: true,
  },
  'a taxonomy group': {
    at: 'taxonomies',
    by: ['Add a taxonomy group …'],
    typed: { Name: 'Kept group', Codename: 'kept_codename' },
    save: 'Save',
  },
  'a folder of assets': {
    at: 'assets?folder=FOLDER',
    by: ['Edit the folder …'],
    typed: { 'Name of the folder': 'Kept folder' },
    save: 'Rename',
  },
  'a move of assets': {
    at: 'assets',
    by: ['Select all', 'Move …'],
    typed: { 'Name of a new folder inside of it, if wanted': 'Kept new folder' },
    save: 'Move',
  },
};

/** Dialogs of a rich text: their button puts what was typed into the form around them, and calls nothing. */
export const IN_TEXTS: readonly FilledForm[] = [
  {
    at: 'items/LINKED',
    by: ['Link'],
    typed: { Address: 'https://kept.example.org/link', Text: 'Kept link', 'Opens in a new window': true },
    save: 'Apply',
  },
  {
    at: 'items/ITEM',
    by: ['Edit the image …'],
    typed: { 'Description for people who do not see the image': 'Kept description' },
    save: 'Apply',
  },
];
