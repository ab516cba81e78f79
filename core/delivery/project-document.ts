import type { ProjectModel } from '../model/model.ts';
import type { DocumentLayout, DocumentRow, LayoutElement } from '../storage/page-plan.ts';

/** What an answer shows of a document, as text or as the bytes that are stored. */
export interface ShownDocument<Body = string | Uint8Array> {
  readonly number: number;
  readonly item: number;
  readonly codename: string;
  readonly type: number;
  readonly body: Body;
  /** `"codename":{…}` of its components, joined by commas. */
  readonly components: string;
  /** Items linked from the elements that are shown. */
  readonly linked: readonly number[];
}

/** With its layout as it is stored, or as it was compiled for the reader. */
type Stored<Body> = Omit<ShownDocument<Body>, 'linked'> & {
  readonly layout: DocumentRow['layout'] | DocumentLayout;
};

/** A query may name 30,000 elements; fewer than these are not looked up. */
const FEW = 100;

/** The elements of a projection, each once and sorted; of many, those that there are in the project. */
export function projectionOf(
  model: ProjectModel,
  elements: readonly string[] | null,
): readonly string[] | null {
  if (!elements) return null;
  const named = new Set(elements);
  if (named.size <= FEW) return [...named].sort();
  const found = new Set<string>();
  for (const type of model.types)
    for (const codename of type.fieldByCodename.keys()) if (named.has(codename)) found.add(codename);
  return [...found].sort();
}

/**
 * Reduces a document to some elements by the offsets in its layout, without parsing the rest.
 * Components stay only where the rich text that embeds them does.
 * @param elements null = all of them
 */
export function projectDocument<Body extends string | Uint8Array>(
  { number, item, codename, type, body, components, layout: stored }: Stored<Body>,
  elements: ReadonlySet<string> | null,
): ShownDocument<Body | string> {
  const layout: DocumentLayout = typeof stored === 'string' ? JSON.parse(stored) : stored;
  if (!elements) return { number, item, codename, type, body, components, linked: allLinked(layout) };
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  const linked = new Set<number>();
  const shown = new Set<string>();
  const projected = cut(text, layout.elements, 0, text.length, elements, linked, shown);
  const kept: string[] = [];
  // A component comes after those it embeds, so in reverse order those that embed it come first.
  for (const [id, start, end, parts] of layout.components.toReversed())
    if (shown.has(id)) kept.unshift(cut(components, parts, start, end, elements, linked, shown));
  return {
    number,
    item,
    codename,
    type,
    body: projected,
    components: kept.join(','),
    linked: [...linked],
  };
}

/** Of all elements, then of those of components. */
function allLinked({ elements, components }: DocumentLayout): readonly number[] {
  const linked = new Set<number>();
  const add = (parts: readonly LayoutElement[]) => {
    for (const part of parts) for (const item of part[3]) linked.add(item);
  };
  add(elements);
  for (const component of components) add(component[3]);
  return [...linked];
}

function cut(
  text: string,
  parts: readonly LayoutElement[],
  start: number,
  end: number,
  elements: ReadonlySet<string>,
  linked: Set<number>,
  components: Set<string>,
): string {
  const kept = parts.filter(([codename]) => elements.has(codename));
  for (const [, , , items, inner] of kept) {
    for (const item of items) linked.add(item);
    for (const component of inner) components.add(component);
  }
  const first = parts[0];
  const last = parts.at(-1);
  if (!first || !last) return text.slice(start, end);
  const pieces = kept.map(([, from, to]) => text.slice(from, to));
  return text.slice(start, first[1]) + pieces.join(',') + text.slice(last[2], end);
}
