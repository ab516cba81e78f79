import { idOfExternalId, isId } from '../model/external-id.ts';
import type { ElementInput } from '../model/inputs.ts';
import type { Issues } from '../model/issues.ts';
import type { ContentType, Field } from '../model/model.ts';
import { UNWRITTEN_SLUG } from '../model/normal-value.ts';
import { readDateTime, readNumber, readText, toUrlSlug, ValueError } from '../model/plain-values.ts';
import { checkForm, describe, PartIndex, REFERENCE_FORMS, type Referable } from '../model/reference.ts';
import type { StoredElements, StoredRichText, StoredUrlSlug, StoredValue } from '../model/values.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type ReadInner, readRichText } from './read-rich-text.ts';
import type { Referred } from './referenced.ts';
import type { ReadContext } from './value-checks.ts';

/** Returns the stored value once references are resolved; may report further issues. */
export type Pending = () => StoredValue | Promise<StoredValue>;

/** The same for all elements. */
export type ReadValues = () => Promise<StoredElements>;

/**
 * Reads the elements of a request in two steps: this call checks the body; the function it returns is called after
 * `content.resolve()` and returns the stored values.
 * @param before present values
 * @param omitted values of elements that the request does not contain
 */
export async function readElements(
  context: ReadContext,
  type: ContentType,
  inputs: readonly ElementInput[],
  before: StoredElements,
  path = 'elements',
  level = 0,
  omitted: StoredElements = before,
): Promise<ReadValues> {
  const { issues } = context;
  const pending = new Map<string, Pending>();
  const seen = new Set<string>();
  /** Elements with a value and no mode. */
  const withoutMode = new Set<string>();
  if (!Array.isArray(inputs)) issues.add('An array of elements is expected.', path);
  else {
    for (const [index, input] of inputs.entries()) {
      if (issues.isFull) break;
      if (isTurnLong()) await nextTurn();
      const at = `${path}[${index}]`;
      const field = findField(issues, type, input, at);
      if (!field) continue;
      const id = field.element.id;
      if (seen.has(id)) issues.add(`The element '${field.codename}' is given twice.`, at);
      seen.add(id);
      if (input.mode === undefined && input.value !== undefined) withoutMode.add(id);
      const reading = readElement(context, field, input, before[id], at, level);
      const read = reading instanceof Promise ? await reading : reading;
      if (read) pending.set(id, read);
    }
  }
  return async () => {
    const values = await readPending(pending, omitted);
    generateSlugs(type, values, withoutMode);
    return values;
  };
}

/** The values of elements, beside those that stay. */
export async function readPending(
  pending: ReadonlyMap<string, Pending>,
  before: StoredElements = {},
): Promise<Record<string, StoredValue>> {
  const values: Record<string, StoredValue> = { ...before };
  for (const [id, read] of pending) {
    if (isTurnLong()) await nextTurn();
    const value = read();
    values[id] = value instanceof Promise ? await value : value;
  }
  return values;
}

function findField(issues: Issues, type: ContentType, input: ElementInput, path: string): Field | undefined {
  const wanted = checkForm(issues, input?.element, REFERENCE_FORMS, `${path}.element`);
  if (!wanted) return undefined;
  const field =
    wanted.form === 'id'
      ? type.fieldByElement.get(wanted.text)
      : wanted.form === 'codename'
        ? (type.fieldByCodename.get(wanted.text) ?? snippetField(type, wanted.text))
        : type.fields.find(({ element }) => element.external_id === wanted.text);
  if (!field) {
    issues.add(
      `The type '${type.codename}' has no element with ${describe(input.element)}.`,
      `${path}.element`,
    );
  }
  return field;
}

/** Finds an element by its codename inside a snippet, which some tools send, if only one has it. */
function snippetField(type: ContentType, codename: string): Field | undefined {
  const fields = type.fields.filter(
    ({ snippet, element }) => snippet !== null && element.codename === codename,
  );
  return fields.length === 1 ? fields[0] : undefined;
}

/** A promise only for values that may have many parts. Undefined: there is an issue. */
export function readElement(
  context: ReadContext,
  field: Field,
  input: ElementInput,
  before: StoredValue | undefined,
  path: string,
  level: number,
  readInner: ReadInner = readRequested,
): Pending | undefined | Promise<Pending | undefined> {
  const report = (error: unknown) => {
    if (!(error instanceof ValueError)) throw error;
    context.issues.add(`The element '${field.codename}': ${error.message}`, `${path}.value`);
    return undefined;
  };
  const { element } = field;
  try {
    switch (element.type) {
      case 'text':
      case 'custom':
        return constant(readText(input.value));
      case 'number':
        return constant(readNumber(input.value));
      case 'date_time':
        return constant(readDateTime(input.value));
      case 'url_slug':
        return constant(readSlug(input, before as StoredUrlSlug | undefined));
      case 'rich_text': {
        const location = { path, level, readInner };
        const text = before as StoredRichText | undefined;
        return readRichText(context, element, input, text, location).catch(report);
      }
      default:
        return readList(context, element, input.value, before, `${path}.value`).catch(report);
    }
  } catch (error) {
    return report(error);
  }
}

/** Elements of a component that the request does not contain are empty. */
const readRequested: ReadInner = async (context, type, elements, before, path, level) =>
  type ? readElements(context, type, elements, before, path, level, {}) : async () => ({});

function constant(value: StoredValue): Pending {
  return () => value;
}

type ListElement = Extract<
  Field['element'],
  { type: 'multiple_choice' | 'taxonomy' | 'asset' | 'modular_content' }
>;

async function readList(
  context: ReadContext,
  element: ListElement,
  given: unknown,
  before: StoredValue | undefined,
  at: string,
): Promise<Pending> {
  const { issues, model, stored = false } = context;
  switch (element.type) {
    case 'multiple_choice': {
      const options = indexOf(element, () => element.options);
      const chosen = await readParts(issues, given, options, 'option', at, { stored });
      if (stored) return constant(chosen);
      const inOrder = (ids: readonly string[]) =>
        element.options.map(({ id }) => id).filter((id) => ids.includes(id));
      const value = inOrder(chosen);
      // More may be chosen since before the mode was single; writing back what was read is no change.
      const isPresent = () => String(value) === String(inOrder((before ?? []) as readonly string[]));
      if (element.mode === 'single' && chosen.length > 1 && !isPresent())
        throw new ValueError('Only one option can be chosen.');
      return constant(value);
    }
    case 'taxonomy': {
      const group = model.taxonomyById.get(element.taxonomy_group.id);
      const terms = group ? indexOf(group, () => group.termById.values()) : NO_PARTS;
      const options = { stored, project: model.project.id, held: (before ?? []) as readonly string[] };
      return constant(await readParts(issues, given, terms, 'term', at, options));
    }
    case 'asset':
    case 'modular_content': {
      const kind = element.type === 'asset' ? 'asset' : 'item';
      const referred = await readReferences(context, kind, given, at);
      return () => distinct(context, referred, at);
    }
  }
}

/** Indexes of options and terms, by their element or group: a body may refer to one group in each element. */
const indexes = new WeakMap<object, PartIndex<Referable>>();
const NO_PARTS = new PartIndex<Referable>([]);

function indexOf(owner: object, parts: () => Iterable<Referable>): PartIndex<Referable> {
  let index = indexes.get(owner);
  if (!index) {
    index = new PartIndex(parts());
    indexes.set(owner, index);
  }
  return index;
}

/** Reads references to options or terms. The external id of a term may be unknown yet. */
async function readParts(
  issues: Issues,
  value: unknown,
  parts: PartIndex<Referable>,
  label: string,
  path: string,
  /** `project` and `held` only for parts that may not exist yet: their project, and the ids in the present value. */
  options: { readonly stored: boolean; readonly project?: string; readonly held?: readonly string[] },
): Promise<string[]> {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new ValueError('An array of references is expected.');
  const { stored, project } = options;
  const held = new Set(options.held);
  const ids = new Set<string>();
  for (const [index, reference] of value.entries()) {
    if (issues.isFull) break;
    if (isTurnLong()) await nextTurn();
    const at = `${path}[${index}]`;
    const wanted = checkForm(issues, reference, REFERENCE_FORMS, at);
    if (!wanted) continue;
    const isKept = wanted.form === 'id' && stored && isId(wanted.text);
    const expected =
      project !== undefined && wanted.form === 'external_id'
        ? idOfExternalId(project, 'term', wanted.text)
        : wanted.form === 'id' && held.has(wanted.text)
          ? wanted.text
          : undefined;
    const id = isKept ? wanted.text : (parts.find(reference)?.id ?? expected);
    if (id === undefined) issues.add(`There is no ${label} with ${describe(reference)}.`, at);
    else if (ids.has(id)) issues.add(`The ${label} with ${describe(reference)} is given twice.`, at);
    else ids.add(id);
  }
  return [...ids];
}

async function readReferences(
  { content, issues }: ReadContext,
  kind: 'item' | 'asset',
  value: unknown,
  path: string,
): Promise<Referred[]> {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new ValueError('An array of references is expected.');
  const found: Referred[] = [];
  for (const [index, reference] of value.entries()) {
    if (issues.isFull) break;
    if (isTurnLong()) await nextTurn();
    const referred = content.add(kind, reference, `${path}[${index}]`);
    if (referred) found.push(referred);
  }
  return found;
}

/** One object may be named in two forms, so duplicates appear only after resolution. */
async function distinct(
  { issues }: ReadContext,
  referred: readonly Referred[],
  path: string,
): Promise<string[]> {
  const ids = new Set<string>();
  for (const [index, { id }] of referred.entries()) {
    if (isTurnLong()) await nextTurn();
    if (id === undefined) continue;
    if (ids.has(id)) issues.add(`The object with the id '${id}' is given twice.`, `${path}[${index}]`);
    else ids.add(id);
  }
  return [...ids];
}

/**
 * A new value makes the slug custom, except an empty one for an autogenerated slug. The mode `autogenerated` makes it
 * follow its text again.
 */
function readSlug(input: ElementInput, before: StoredUrlSlug = UNWRITTEN_SLUG): StoredUrlSlug {
  const { mode } = input;
  if (mode !== undefined && mode !== 'autogenerated' && mode !== 'custom') {
    throw new ValueError(`The mode is 'autogenerated' or 'custom'.`);
  }
  const value = input.value === undefined ? before.value : (readText(input.value) ?? '');
  const stays = value === before.value || (value === '' && before.mode === 'autogenerated');
  return { value, mode: mode ?? (stays ? before.mode : 'custom') };
}

/** Updates autogenerated slugs from their texts. A slug that was sent with another value and no mode becomes custom. */
function generateSlugs(
  type: ContentType,
  values: Record<string, StoredValue>,
  withoutMode: ReadonlySet<string>,
): void {
  for (const { element } of type.fields) {
    if (element.type !== 'url_slug') continue;
    const slug = (values[element.id] ?? UNWRITTEN_SLUG) as StoredUrlSlug;
    const source = element.depends_on.element.id;
    // A snippet may have lost the element with the text; the slug stays.
    if (slug.mode !== 'autogenerated' || !type.fieldByElement.has(source)) continue;
    const text = values[source];
    const value = typeof text === 'string' ? toUrlSlug(text) : '';
    if (value === slug.value) continue;
    const isCustom = withoutMode.has(element.id) && slug.value !== '';
    values[element.id] = isCustom ? { value: slug.value, mode: 'custom' } : { value, mode: 'autogenerated' };
  }
}
