import type { Allowed } from '../../acts/act-data.ts';
import type { ListedItem } from '../listed-item.ts';

/** An item with the state of each language. */
export interface EditedItem extends ListedItem {
  /** When it was. */
  readonly archived: string | null;
  readonly languages: readonly (ListedItem['languages'][number] & {
    readonly last_modified: string | null;
    readonly allowed: readonly Allowed[];
  })[];
}

/** Names the form of a variant of a person, whose copies the browser keeps. */
export const formKey = (person: string | undefined, project: string, item: string, language: string) =>
  `${person} ${project} ${item} ${language}`;

type EditedVariant = EditedItem['languages'][number];

/**
 * The variant that the address means, in the state that was read last.
 * @param given codename or id of its language; null: the one that is open, at first that of the default language
 * @param opened as it was shown before: it stays where its language was deactivated meanwhile
 */
export function shownVariant(
  variants: readonly EditedVariant[],
  given: string | null,
  opened: EditedVariant | null,
): EditedVariant {
  const isMeant = ({ language: { id, codename } }: EditedVariant) => codename === given || id === given;
  const kept = opened && (given === null || isMeant(opened)) ? opened : undefined;
  return (
    variants.find(isMeant) ??
    variants.find(({ language }) => language.id === kept?.language.id) ??
    kept ??
    (variants[0] as EditedVariant)
  );
}
