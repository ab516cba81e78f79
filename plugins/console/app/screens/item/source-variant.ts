import { ElementForm } from './element-form.ts';
import { type ContentModel, elementsOf } from './form-groups.ts';
import type { ContentType, Language, ManagedElement, ManagedVariant } from './managed.ts';

/** A variant in another language, which a translation is made from. */
export interface SourceVariant {
  readonly language: Language;
  /** Of its latest version, by id. */
  readonly elements: ReadonlyMap<string, ElementForm>;
  /** Its values when the translation was last saved, by id; undefined: not known. */
  readonly before: ReadonlyMap<string, ManagedElement> | undefined;
}

/** @param before the version that the translation was made from */
export function sourceVariant(
  model: ContentModel,
  type: ContentType,
  language: Language,
  { elements }: Pick<ManagedVariant, 'elements'>,
  before: readonly ManagedElement[] | undefined,
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
    before: before && new Map(before.map((one) => [one.element.id, one])),
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
