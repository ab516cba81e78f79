import type { ComponentInput, ElementInput } from '../model/inputs.ts';
import type { ElementKind } from '../model/model.ts';
import type { SampleElements, SampleModel, SampleRichText, SampleValue } from './sample-files.ts';

/** Type codename → element codename as items name it → kind. */
export type SampleKinds = ReadonlyMap<string, ReadonlyMap<string, ElementKind>>;

/** Snippet elements are named `<snippet>__<element>`. */
export function kindsOf(model: SampleModel): SampleKinds {
  const snippets = new Map(model.snippets.map((snippet) => [snippet.codename, snippet.elements]));
  return new Map(
    model.types.map((type) => {
      const kinds = new Map<string, ElementKind>();
      for (const element of type.elements) {
        const inside = element.type === 'snippet' ? (snippets.get(element.snippet?.codename) ?? []) : [];
        for (const { codename, type: kind } of inside)
          if (codename) kinds.set(`${element.snippet?.codename}__${codename}`, kind as ElementKind);
        if (element.codename) kinds.set(element.codename, element.type as ElementKind);
      }
      return [type.codename ?? type.name, kinds];
    }),
  );
}

/**
 * Converts the short form of the files to inputs of operations: lists name options, terms and items by codename and
 * assets by external id; a URL slug with a value is a custom one.
 */
export function toElementInputs(kinds: SampleKinds, type: string, elements: SampleElements): ElementInput[] {
  return Object.entries(elements).map(([codename, value]) => {
    const kind = kinds.get(type)?.get(codename);
    if (kind === undefined) throw new Error(`The sample's type '${type}' has no element '${codename}'.`);
    return { element: { codename }, ...toValue(kinds, kind, value) };
  });
}

function toValue(kinds: SampleKinds, kind: ElementKind, value: SampleValue): Omit<ElementInput, 'element'> {
  if (typeof value === 'object' && 'html' in value) {
    return {
      value: value.html,
      components: value.components.map((component) => toComponent(kinds, component)),
    };
  }
  if (typeof value === 'object') {
    const form = kind === 'asset' ? 'external_id' : 'codename';
    return { value: value.map((name) => ({ [form]: name })) };
  }
  return kind === 'url_slug' ? { value, mode: 'custom' } : { value };
}

function toComponent(kinds: SampleKinds, component: SampleRichText['components'][number]): ComponentInput {
  return {
    id: component.id,
    type: { codename: component.type },
    elements: toElementInputs(kinds, component.type, component.elements),
  };
}
