import { idOfExternalId } from '../../model/external-id.ts';
import type { Reference } from '../../model/inputs.ts';
import type { ContentType, ElementAttribute, ProjectModel, Snippet } from '../../model/model.ts';
import { findReferred, formOf, shorten } from '../../model/reference.ts';
import { insertInto, moveWithin, NOT_FOUND, type PatchOperation, refuseOperation } from './patch.ts';
import { PatchDraft } from './patch-draft.ts';
import { withoutPrefix } from './type-json.ts';

type Part = Record<string, unknown>;
type Definition = Part & { content_groups: Part[]; elements: Part[] };

/** Whether an attribute of an element can be replaced. Its type and what it is made of stay. */
const IS_REPLACEABLE = {
  name: true,
  codename: true,
  guidelines: true,
  is_required: true,
  content_group: true,
  maximum_text_length: true,
  maximum_image_size: true,
  maximum_file_size: true,
  allowed_content_types: true,
  allowed_image_types: true,
  allowed_file_types: true,
  image_width_limit: true,
  image_height_limit: true,
  asset_count_limit: true,
  item_count_limit: true,
  term_count_limit: true,
  mode: true,
  depends_on: true,
  source_url: true,
  json_parameters: true,
  allowed_elements: true,
  id: false,
  type: false,
  external_id: false,
  options: false,
  taxonomy_group: false,
  snippet: false,
} satisfies Record<ElementAttribute, boolean>;
/** `items_count_limit` is a second spelling of the API's description. */
const ELEMENT_PROPERTIES: ReadonlySet<string> = new Set([
  ...Object.entries(IS_REPLACEABLE).flatMap(([name, isReplaceable]) => (isReplaceable ? [name] : [])),
  'items_count_limit',
]);
/** Longest list in an added value, because later operations may walk over it; each kind has a lower limit. */
const MEMBERS = 1000;
const NAMED_PROPERTIES: ReadonlySet<string> = new Set(['name', 'codename']);
const REFERENCE_LISTS: ReadonlySet<string> = new Set(['allowed_content_types', 'allowed_elements']);

/**
 * Applies the operations of a PATCH to a type or snippet. The result is JSON in the shape of a POST; existing parts keep
 * their ids. `path` is like a JSON pointer whose parts may name a member: `/elements/codename:x/name`.
 */
export class DefinitionDraft extends PatchDraft<Definition, readonly string[]> {
  readonly #model: Pick<ProjectModel, 'project' | 'types'>;
  /** Codename of the snippet; undefined for a type. */
  readonly #snippet: string | undefined;

  /** @param model has the types that elements may refer to */
  constructor(before: ContentType | Snippet, model: Pick<ProjectModel, 'project' | 'types'>) {
    super({
      name: before.name,
      codename: before.codename,
      content_groups:
        'contentGroups' in before ? (structuredClone([...before.contentGroups]) as unknown as Part[]) : [],
      elements: structuredClone([...before.elements]) as unknown as Part[],
    });
    this.#model = model;
    this.#snippet = 'contentGroups' in before ? undefined : before.codename;
  }

  /** The parts of the path. */
  protected targetOf(operation: PatchOperation): readonly string[] {
    const path = operation.fields.raw('path');
    if (typeof path !== 'string' || !path.startsWith('/')) {
      refuseOperation(operation, "The path is missing; it is like '/elements/codename:title/name'.", 'path');
    }
    return path
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  }

  operationOf(path: string | undefined): number | undefined {
    const found = path === undefined ? null : /^(elements|content_groups)\[(\d+)\]/.exec(path);
    if (!found) return this.lastOperationOn(this.json);
    const list = this.json[found[1] as 'elements' | 'content_groups'];
    return this.lastOperationOn(list[Number(found[2])]) ?? this.lastOperationOn(this.json);
  }

  protected addInto(operation: PatchOperation, [list = '', member, inner, ...rest]: readonly string[]): void {
    const value = operation.fields.raw('value');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      refuseOperation(operation, 'The value must be an object.', 'value');
    }
    // An added value gets a new id, even if the client copied it.
    const { id: _copied, ...added } = value as Part;
    if (Object.values(added).some((one) => Array.isArray(one) && one.length > MEMBERS))
      refuseOperation(operation, `A list in it can have at most ${MEMBERS} members.`, 'value');
    if (member === undefined) {
      insertInto(operation, this.#listOf(operation, list), added, this.#isNamed);
      this.recordOperation(operation, added);
      return;
    }
    const part = this.#find(operation, list, member);
    if (list !== 'elements' || inner === undefined || rest.length > 0)
      refuseOperation(operation, NO_PATH, 'path');
    if (inner === 'options') insertInto(operation, optionsOf(operation, part), added, isMember);
    else if (REFERENCE_LISTS.has(inner)) {
      part[inner] = [...referencesOf(part, inner), value];
    } else refuseOperation(operation, NO_PATH, 'path');
    this.recordOperation(operation, part);
  }

  /** Elements, groups and options keep their ids, so content keeps their values. */
  protected move(
    operation: PatchOperation,
    [list = '', member, inner, innerMember, ...rest]: readonly string[],
  ): void {
    if (member === undefined || rest.length > 0) refuseOperation(operation, NO_PATH, 'path');
    const part = this.#find(operation, list, member);
    this.recordOperation(operation, part);
    if (inner === undefined) {
      moveWithin(operation, this.#listOf(operation, list), part, this.#isNamed);
      return;
    }
    const reference = innerMember === undefined ? undefined : toReference(innerMember);
    if (list !== 'elements' || inner !== 'options' || !reference) refuseOperation(operation, NO_PATH, 'path');
    const options = optionsOf(operation, part);
    const option = options.find((one) => isMember(one, reference));
    if (!option) refuseOperation(operation, NOT_FOUND, 'path');
    moveWithin(operation, options, option, isMember);
  }

  protected remove(
    operation: PatchOperation,
    [list = '', member, inner, innerMember, ...rest]: readonly string[],
  ): void {
    if (member === undefined || rest.length > 0) refuseOperation(operation, NO_PATH, 'path');
    const part = this.#find(operation, list, member);
    if (inner === undefined) {
      const all = this.#listOf(operation, list);
      all.splice(all.indexOf(part), 1);
      if (list === 'content_groups') this.#emptyGroup(part);
      this.recordOperation(operation, this.json);
      return;
    }
    const reference = innerMember === undefined ? undefined : toReference(innerMember);
    if (!reference) refuseOperation(operation, NO_PATH, 'path');
    this.recordOperation(operation, part);
    if (inner === 'options') {
      const options = optionsOf(operation, part);
      const at = options.findIndex((option) => isMember(option, reference));
      if (at < 0) refuseOperation(operation, NOT_FOUND, 'path');
      options.splice(at, 1);
      return;
    }
    if (!REFERENCE_LISTS.has(inner)) refuseOperation(operation, NO_PATH, 'path');
    const references = referencesOf(part, inner);
    const id = this.#idOf(inner, reference);
    const left = references.filter((one) => this.#idOf(inner, one as Reference) !== id);
    if (left.length === references.length) refuseOperation(operation, NOT_FOUND, 'path');
    part[inner] = left;
  }

  protected replace(operation: PatchOperation, parts: readonly string[]): void {
    const value = operation.fields.raw('value');
    if (value === undefined) refuseOperation(operation, 'The value is missing.', 'value');
    const [list = '', member, property, innerMember, innerProperty, ...rest] = parts;
    if (rest.length > 0) refuseOperation(operation, NO_PATH, 'path');
    if (member === undefined) {
      this.#set(operation, this.json, list, value, NAMED_PROPERTIES);
      return;
    }
    const part = this.#find(operation, list, member);
    if (property === undefined) refuseOperation(operation, NO_PATH, 'path');
    if (innerMember === undefined) {
      const known = list === 'elements' ? ELEMENT_PROPERTIES : NAMED_PROPERTIES;
      this.#set(operation, part, property, value, known);
      return;
    }
    const reference = toReference(innerMember);
    if (list !== 'elements' || property !== 'options' || !reference || innerProperty === undefined) {
      refuseOperation(operation, NO_PATH, 'path');
    }
    const option = optionsOf(operation, part).find((one) => isMember(one, reference));
    if (!option) refuseOperation(operation, NOT_FOUND, 'path');
    this.#set(operation, option, innerProperty, value, NAMED_PROPERTIES);
    this.recordOperation(operation, part);
  }

  #set(
    operation: PatchOperation,
    part: Part,
    property: string,
    value: unknown,
    known: ReadonlySet<string>,
  ): void {
    if (!known.has(property)) {
      refuseOperation(operation, `The property '${shorten(property)}' cannot be replaced.`, 'path');
    }
    if (property === 'codename' && value === '')
      refuseOperation(operation, 'The codename must not be empty.', 'value');
    const name = property === 'items_count_limit' ? 'item_count_limit' : property;
    this.replaceProperty(operation, part, name, value);
  }

  #idOf(list: string, reference: Reference): unknown {
    const form = formOf(reference);
    if (list === 'allowed_content_types') {
      const type = findReferred(this.#model.types, reference);
      // The type may not exist yet.
      const isExpected = type === undefined && form?.form === 'external_id';
      return isExpected
        ? idOfExternalId(this.#model.project.id, 'type', form.text)
        : (type?.id ?? form?.text);
    }
    const one = form && this.json.elements.find((element) => isMember(element, { [form.form]: form.text }));
    return one?.['id'] ?? form?.text;
  }

  /** The elements of a removed group stay, without a group. */
  #emptyGroup(group: Part): void {
    for (const element of this.json.elements) {
      const reference = formOf(element['content_group']);
      if (reference && isMember(group, { [reference.form]: reference.text })) delete element['content_group'];
    }
  }

  #find(operation: PatchOperation, list: string, member: string): Part {
    const reference = toReference(member);
    if (!reference) refuseOperation(operation, NO_PATH, 'path');
    const all = this.#listOf(operation, list);
    const found =
      all.find((one) => isMember(one, reference)) ?? all.find((one) => isMember(one, this.#plain(reference)));
    return found ?? refuseOperation(operation, NOT_FOUND, 'path');
  }

  /** Whether the reference names the part, with the prefix of the snippet or without. */
  readonly #isNamed = (part: Part, reference: Reference): boolean =>
    isMember(part, reference) || isMember(part, this.#plain(reference));

  /** The reference without the prefix of the snippet. */
  #plain(reference: Reference): Reference {
    const { codename } = reference;
    return codename !== undefined && this.#snippet !== undefined
      ? { codename: withoutPrefix(codename, this.#snippet) }
      : reference;
  }

  #listOf(operation: PatchOperation, list: string): Part[] {
    if (list === 'elements' || list === 'content_groups') return this.json[list];
    return refuseOperation(operation, NO_PATH, 'path');
  }
}

const NO_PATH = 'There is nothing at this path.';

/** `codename:title` → a reference. */
function toReference(part: string): Reference | undefined {
  const [, form, text] = /^(id|codename|external_id):(.+)$/s.exec(part) ?? [];
  return form === undefined || text === undefined
    ? undefined
    : { [form]: form === 'id' ? text.toLowerCase() : text };
}

/** Members from the same body are unchecked and may be any value. */
function isMember(part: Part | null, reference: Reference): boolean {
  return Object.entries(reference).every(([form, text]) => part?.[form] === text);
}

function optionsOf(operation: PatchOperation, element: Part): Part[] {
  const options = element['options'];
  if (element['type'] === 'multiple_choice' && Array.isArray(options)) return options as Part[];
  return refuseOperation(operation, 'The element has no options.', 'path');
}

function referencesOf(element: Part, list: string): readonly unknown[] {
  const references = element[list];
  return Array.isArray(references) ? references : [];
}
