import { isId } from '../model/external-id.ts';
import type { ElementInput } from '../model/inputs.ts';
import { type ContentType, ELEMENT_KINDS, type Field, type ValueElement } from '../model/model.ts';
import { beginning } from '../model/text-length.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type Pending, type ReadValues, readElement, readPending } from './read-elements.ts';
import type { ReadInner } from './read-rich-text.ts';
import type { ReadContext } from './value-checks.ts';

/**
 * Reads the elements of a version from an archive, with the readers of the management API and in the two steps of
 * `readElements`. Keeps values of removed elements, and removed options and terms. Keeps values that break limits of
 * their elements; `validate` reports them.
 * @param type undefined: it was deleted
 */
export async function readStoredElements(
  context: ReadContext & { readonly stored: true },
  type: ContentType | undefined,
  stored: unknown,
  path: string,
  level = 0,
): Promise<ReadValues> {
  const { issues } = context;
  if (!isRecord(stored)) {
    issues.add('An object with values by element id is expected.', path);
    return async () => ({});
  }
  const pending = new Map<string, Pending>();
  for (const [id, value] of Object.entries(stored)) {
    if (isTurnLong()) await nextTurn();
    const at = `${path}.${beginning(id, SHOWN)}`;
    if (!isId(id)) {
      issues.add('The key of a value is the id of an element.', at);
      continue;
    }
    const field = type?.fieldByElement.get(id) ?? removedField(id, value);
    const input = toInput(field.element, value);
    if (!input) {
      issues.add(`This is no value of an element of the type '${field.element.type}'.`, at);
      continue;
    }
    const reading = readElement(context, field, input, undefined, at, level, readInner);
    const read = reading instanceof Promise ? await reading : reading;
    if (read) pending.set(id, read);
  }
  return () => readPending(pending);
}

/** Characters of a key that a path shows. */
const SHOWN = 80;

const readInner: ReadInner = (context, type, elements, _before, path, level) =>
  readStoredElements({ ...context, stored: true }, type, elements, path, level);

/** Converts a stored value to the form of a request; null if it does not have the form of the element. */
function toInput({ id, type }: ValueElement, value: unknown): ElementInput | null {
  const element = { id };
  if (value === null) return { element, value };
  switch (ELEMENT_KINDS[type]) {
    case 'slug': {
      if (!isRecord(value) || typeof value['value'] !== 'string' || typeof value['mode'] !== 'string')
        return null;
      return { element, value: value['value'], mode: value['mode'] as 'custom' };
    }
    case 'rich text': {
      if (!isRecord(value) || typeof value['html'] !== 'string' || !Array.isArray(value['components']))
        return null;
      const components = value['components'].map((component: unknown) =>
        isRecord(component) ? { ...component, type: { id: component['type'] } } : component,
      );
      return { element, value: value['html'], components: components as [] };
    }
    case 'list':
      return Array.isArray(value) ? { element, value: value.map((one: unknown) => ({ id: one })) } : null;
    case 'text':
    case 'number':
      return { element, value };
  }
}

/** A removed element, whose values stay in versions. Its kind is guessed from the value. */
function removedField(id: string, value: unknown): Field {
  const base = { id, codename: id, name: id, guidelines: null, is_required: false };
  const element: ValueElement = Array.isArray(value)
    ? { ...base, type: 'taxonomy', taxonomy_group: { id } }
    : isRecord(value)
      ? 'html' in value
        ? { ...base, type: 'rich_text' }
        : { ...base, type: 'url_slug', depends_on: { element: { id } } }
      : { ...base, type: typeof value === 'number' ? 'number' : 'text' };
  return { field: 0, codename: id, element, snippet: null };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
