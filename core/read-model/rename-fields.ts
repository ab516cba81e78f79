import { BACKSLASH, QUOTE } from '../json-body/characters.ts';
import type { Field, ProjectModel } from '../model/model.ts';
import { componentCodename } from '../model/rich-text/component-codename.ts';
import type { DocumentLayout, DocumentRow, LayoutComponent, LayoutElement } from '../storage/page-plan.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { fieldHead, namedHead } from './compile-document.ts';

export type RenamedDocument = Pick<DocumentRow, 'body' | 'components'> & { readonly layout: DocumentLayout };

/**
 * A document of which nothing but codenames and names of elements has changed since it was compiled: all else is copied. Takes
 * 43 µs of CPU, where compiling it with what is read for that takes 200 (2,000 documents of `headwater generate`).
 * @returns undefined where the document is not as the model says, and must be compiled
 */
export async function renameFields(
  model: ProjectModel,
  { type, body, components, layout }: Pick<DocumentRow, 'type' | 'body' | 'components' | 'layout'>,
): Promise<RenamedDocument | undefined> {
  const positions = JSON.parse(layout) as DocumentLayout;
  const renamed = renamedObject(body, positions.elements, model.typeByNumber.get(type)?.fields);
  if (!renamed) return undefined;
  let text = '';
  const moved: LayoutComponent[] = [];
  for (const [id, start, end, elements] of positions.components) {
    if (isTurnLong()) await nextTurn();
    const component = components.slice(start, end);
    const inside = shifted(elements, -start);
    const object = renamedObject(component, inside, fieldsOfComponent(model, id, component));
    if (!object) return undefined;
    if (text !== '') text += ',';
    const from = text.length;
    text += object.text;
    moved.push([id, from, text.length, shifted(object.elements, from)]);
  }
  return {
    body: renamed.text,
    components: text,
    layout: { elements: renamed.elements, components: moved },
  };
}

/**
 * Fields that have their names already are found by one comparison and copied with what surrounds them.
 * @param text `{"system":…,"elements":{…}}`, with or without its codename before it
 */
function renamedObject(
  text: string,
  elements: readonly LayoutElement[],
  fields: readonly Field[] | undefined,
): { readonly text: string; readonly elements: readonly LayoutElement[] } | undefined {
  if (elements.length !== fields?.length) return undefined;
  let renamed = '';
  let copied = 0;
  const moved: LayoutElement[] = [];
  for (const [index, field] of fields.entries()) {
    const [former, start, end, linked, components] = elements[index]!;
    const head = namedHead(field);
    // How much longer what comes before is than it was.
    let by = renamed.length - copied;
    const from = start + by;
    if (!text.startsWith(head, start)) {
      const formerHead = fieldHead(former, field.element.type);
      const rest = text.startsWith(formerHead, start)
        ? endOfString(text, start + formerHead.length)
        : undefined;
      if (rest === undefined) return undefined;
      renamed += text.slice(copied, start) + head;
      copied = rest;
      by = renamed.length - copied;
    }
    moved.push([field.codename, from, end + by, linked, components]);
  }
  return { text: renamed + text.slice(copied), elements: moved };
}

/** By the type that the system attributes of the component name. */
function fieldsOfComponent(model: ProjectModel, id: string, text: string): readonly Field[] | undefined {
  const head = `"${componentCodename(id)}":{"system":`;
  const end = text.indexOf(',"elements":{', head.length);
  if (!text.startsWith(head) || end < 0) return undefined;
  const { type } = JSON.parse(text.slice(head.length, end)) as { readonly type: string };
  return model.typeByCodename.get(type)?.fields;
}

function shifted(elements: readonly LayoutElement[], by: number): LayoutElement[] {
  return elements.map(([codename, start, end, linked, components]) => [
    codename,
    start + by,
    end + by,
    linked,
    components,
  ]);
}

/** @returns the position after the JSON string that begins at `at`; undefined: there is none */
function endOfString(text: string, at: number): number | undefined {
  if (text.charCodeAt(at) !== QUOTE) return undefined;
  for (let end = at + 1; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end + 1;
    if (code === BACKSLASH) end++;
  }
  return undefined;
}
