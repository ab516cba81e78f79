/** States of a variant; lists sort by their order, and store its positions. */
export const VARIANT_STATES = [
  'not_translated',
  'draft',
  'published',
  /** published, with a newer draft */
  'changed',
  'scheduled',
  /** was published before, now a draft */
  'unpublished',
  'archived',
] as const;
export type VariantState = (typeof VARIANT_STATES)[number];

/** State of the item `i` in a language, with its variant `v` if any. */
export const STATE = `CASE
  WHEN i.archived IS NOT NULL THEN 'archived'
  WHEN v.number IS NULL THEN 'not_translated'
  WHEN v.archived IS NOT NULL THEN 'archived'
  WHEN v.scheduled_to IS NOT NULL THEN 'scheduled'
  WHEN v.published IS NOT NULL AND v.draft IS NOT NULL THEN 'changed'
  WHEN v.published IS NOT NULL THEN 'published'
  WHEN v.was_published = 1 THEN 'unpublished'
  ELSE 'draft' END`;
