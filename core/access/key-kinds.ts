/** Kinds of keys of which a project has one valid key at a time. */
export const KEY_SLOTS = [
  'delivery-primary',
  'delivery-secondary',
  'preview-primary',
  'preview-secondary',
] as const;
export type KeySlot = (typeof KEY_SLOTS)[number];

/** Days that a management key can be valid for: a hundred years. */
export const KEY_DAYS_LIMIT = 36_500;

export type KeyKind = KeySlot | 'management';
