/** States of a variant, in the order of the filter. */
export const STATES = [
  'draft',
  'published',
  'changed',
  'scheduled',
  'unpublished',
  'not_translated',
  'archived',
] as const;
export type State = (typeof STATES)[number];

/** An item as the listing has it. */
export interface ListedItem {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly type: { readonly id: string; readonly name: string; readonly codename: string };
  readonly last_modified: string;
  readonly languages: readonly {
    readonly language: { readonly id: string; readonly codename: string };
    readonly state: State;
    readonly last_modified: string | null;
  }[];
}
