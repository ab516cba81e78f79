import type { Allowed } from '../acts/act-data.ts';
import type { State } from '../screens/listed-item.ts';
import type { Named } from './project-data.ts';

/** An item in one language. */
export interface ContentVariant {
  readonly language: Named;
  readonly state: State;
  readonly last_modified: string | null;
  readonly modified_by: { readonly id: string; readonly name: string } | null;
  readonly scheduled_to: string | null;
  readonly allowed: readonly Allowed[];
  readonly elements: Readonly<
    Record<
      string,
      {
        /** Kind of the element. */
        readonly type: string;
        readonly value: string | number | readonly string[] | null;
        readonly length: number;
      }
    >
  >;
}

/** An item as the listing of content has it. */
export interface ContentItem extends Named {
  readonly type: Named;
  readonly archived: string | null;
  /** In all languages. */
  readonly allowed: readonly Allowed[];
  /** In the language of the list, then in those beside it. */
  readonly variants: readonly ContentVariant[];
}
