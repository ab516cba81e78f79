import type { Part } from '../../text-diff/compare-tokens.ts';
import { ElementForm } from './element-form.ts';
import { type ContentModel, elementsOf } from './form-groups.ts';
import type { ContentType, Language, ManagedVariant } from './managed.ts';

/** What changed in each element, by its id. */
export type SourceChanges = ReadonlyMap<string, readonly Part[]>;

/** A variant in another language, which a translation is made from. */
export interface SourceVariant {
  readonly language: Language;
  /** Of its latest version, by id. */
  readonly elements: ReadonlyMap<string, ElementForm>;
  /** What changed since the translation was made from it; undefined: not known. */
  readonly changes: SourceChanges | undefined;
}

export function sourceVariant(
  model: ContentModel,
  type: ContentType,
  language: Language,
  { elements }: Pick<ManagedVariant, 'elements'>,
  changes: SourceChanges | undefined,
): SourceVariant {
  const values = new Map(elements.map((one) => [one.element.id, one]));
  return {
    language,
    elements: new Map(
      elementsOf(model, type).map((definition) => [
        definition.id,
        new ElementForm(model, definition, values.get(definition.id), () => undefined),
      ]),
    ),
    changes,
  };
}

/** Whether a value is taken from the source: a slug that follows its text is not. */
function isCopied({ definition, mode }: ElementForm): boolean {
  return definition.type !== 'url_slug' || mode.peek() === 'custom';
}

export function copyElement(from: ElementForm, to: ElementForm): void {
  const value = from.json();
  if (isCopied(from) && JSON.stringify(value) !== JSON.stringify(to.json())) to.restore(value);
}
