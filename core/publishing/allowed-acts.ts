import type { ContentType, Language } from '../model/model.ts';
import { type Concerned, type ContentAccess, permitsContent } from '../transaction/content-access.ts';
import { ACT_NAMES, ACTS, type ActName } from './acts.ts';

/** What a person may do with an object by its roles; what the state of the object leaves to do is in the plan of an act. */
export const ALLOWED = ['edit', ...ACT_NAMES] as const;
export type Allowed = 'edit' | ActName;

interface Accessed {
  readonly access?: ContentAccess | undefined;
}

/** With the item in all languages: its name, and acts on whole items. */
export function allowedWithItem(accessed: Accessed, type: ContentType | 'some'): readonly Allowed[] {
  return allowed(accessed, { type, language: 'all' }, 'variants');
}

/** With an item in one language. */
export function allowedWithVariant(
  accessed: Accessed,
  { type, language }: { readonly type: ContentType | 'some'; readonly language: Language },
): readonly Allowed[] {
  return allowed(accessed, { type, language }, 'items');
}

function allowed(accessed: Accessed, concerned: Concerned, others: 'items' | 'variants'): readonly Allowed[] {
  return ALLOWED.filter(
    (act) =>
      (act === 'edit' || ACTS[act].about !== others) &&
      permitsContent(accessed, act === 'edit' ? 'edit-content' : ACTS[act].needs, concerned),
  );
}
