import type { ContentType, Language } from '../model/model.ts';
import {
  type Concerned,
  type ContentAccess,
  neededToEdit,
  permitsContent,
} from '../transaction/content-access.ts';
import { ACT_NAMES, ACTS, type ActName } from './acts.ts';

/**
 * What a person may do with an object by its roles; what the state of the object leaves to do is in the plan of an act. A
 * scheduled variant is edited by those who may publish it.
 */
export const ALLOWED = ['edit', ...ACT_NAMES] as const;
export type Allowed = 'edit' | ActName;

interface Accessed {
  readonly access?: ContentAccess | undefined;
}

/** With the item in all languages: its name, and acts on whole items. */
export function allowedWithItem(accessed: Accessed, type: ContentType | 'some'): readonly Allowed[] {
  return allowed(accessed, { type, language: 'all' }, 'variants', null);
}

/** With an item in one language. */
export function allowedWithVariant(
  accessed: Accessed,
  type: ContentType | 'some',
  { language, scheduledTo }: { readonly language: Language; readonly scheduledTo: string | null },
): readonly Allowed[] {
  return allowed(accessed, { type, language }, 'items', scheduledTo);
}

function allowed(
  accessed: Accessed,
  concerned: Concerned,
  others: 'items' | 'variants',
  scheduledTo: string | null,
): readonly Allowed[] {
  return ALLOWED.filter((act) => {
    if (act !== 'edit')
      return ACTS[act].about !== others && permitsContent(accessed, ACTS[act].needs, concerned);
    return neededToEdit(scheduledTo).every((permission) => permitsContent(accessed, permission, concerned));
  });
}
