import { OPTION_CODENAME_LIMIT } from '../model/codename.ts';
import { countLimit, fileLimits, textLimit } from '../model/element-limits.ts';
import { idOfExternalId, isExpectedId } from '../model/external-id.ts';
import type { ElementDefinitionInput, Reference } from '../model/inputs.ts';
import { type Issues, listOf } from '../model/issues.ts';
import {
  type ChoiceOption,
  type ContentGroup,
  ELEMENT_KINDS,
  type ElementDefinition,
  type ElementKind,
  type IdReference,
} from '../model/model.ts';
import { describe, findReferred, formOf, shorten } from '../model/reference.ts';
import { isLongerThan } from '../model/text-length.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { jsonParameters, sourceUrl } from './custom-element.ts';
import { linkElements } from './link-elements.ts';
import { type Named, type NamedInput, Naming } from './naming.ts';

const ELEMENT_NAME_LIMIT = 50;
/** Elements of a type or snippet; every write of an item reads all of them. */
const ELEMENT_LIMIT = 1000;
const OPTION_NAME_LIMIT = 150;
/** Options of a choice; the limit of the service that clients are made for. */
const OPTION_LIMIT = 250;
const ALLOWED_TYPES_LIMIT = 1000;
const GUIDELINES_LIMIT = 10_000;

/** An element in a request; a known id keeps the element and renames or moves it. */
export type ElementChange = ElementDefinitionInput & { readonly id?: string };

interface Context {
  readonly transaction: ProjectTransaction;
  readonly issues: Issues;
  readonly owner: 'type' | 'snippet';
  /** Id of the type or snippet. */
  readonly ownerId: string;
  readonly contentGroups: readonly ContentGroup[];
  /**
   * Elements of an archive: with ids and codenames, together with these types, by id. They may refer to elements
   * that were removed since.
   */
  readonly stored?: { readonly types: ReadonlySet<string> };
  readonly known: ReadonlyMap<string, ElementDefinition>;
}

/** Checks the elements of a type or snippet and converts them to their stored form. */
export async function defineElements(
  context: Omit<Context, 'known'>,
  changes: readonly ElementChange[],
  known: readonly ElementDefinition[],
): Promise<ElementDefinition[]> {
  const { transaction, issues } = context;
  const full: Context = { ...context, known: new Map(known.map((element) => [element.id, element])) };
  const naming = new Naming(
    transaction,
    issues,
    {
      kind: (input, externalId) => idKind(full, input, externalId),
      nameLimit: ELEMENT_NAME_LIMIT,
      keepsIds: context.stored !== undefined,
    },
    known,
  );
  const inputs = listOf(issues, changes, 'elements');
  if (inputs.length > ELEMENT_LIMIT) {
    issues.add(`There can be at most ${ELEMENT_LIMIT} elements.`, 'elements');
    issues.refuse();
  }
  const given = inputs.map((input) => withDefaultName(transaction, input));
  naming.claim(given);
  const elements: ElementDefinition[] = [];
  for (const [index, input] of given.entries()) {
    if (isTurnLong()) await nextTurn();
    const path = `elements[${index}]`;
    const named = naming.name(input, path);
    elements.push(defineElement(full, input, named, path));
  }
  await linkElements(full, inputs, elements);
  refuseSecondSnippet(issues, elements);
  return elements;
}

/**
 * Part of the source of an element's id. It has the type of the element, so that an element which gets the external id of a
 * removed one of another type does not get its values. Earlier releases left the type out.
 */
function idKind({ transaction, known, ownerId }: Context, input: NamedInput, externalId: string): string {
  const plain = `element:${ownerId}`;
  const same = known.get(idOfExternalId(transaction.project.id, plain, externalId));
  return same?.type === input.type ? plain : `${plain}:${input.type}`;
}

/** Guidelines get a fixed name and an id as codename; elements of snippets and taxonomies get the name of those. */
function withDefaultName(transaction: ProjectTransaction, input: ElementChange): ElementChange {
  if (input.name !== undefined) return input;
  const { model } = transaction;
  if (input.type === 'guidelines') {
    if (input.codename !== undefined || input.id !== undefined) return { ...input, name: 'Guidelines' };
    const codename = transaction.newId().replaceAll('-', '_');
    return { ...input, name: 'Guidelines', codename: /^[0-9]/.test(codename) ? `n${codename}` : codename };
  }
  if (input.id !== undefined) return input;
  // Without its group or snippet the element is refused: not for its name as well.
  if (input.type === 'taxonomy')
    return { ...input, name: findReferred(model.taxonomies, input.taxonomy_group)?.name ?? 'Taxonomy' };
  if (input.type === 'snippet')
    return { ...input, name: findReferred(model.snippets, input.snippet)?.name ?? 'Snippet' };
  return input;
}

function defineElement(
  context: Context,
  input: ElementChange,
  named: Named,
  path: string,
): ElementDefinition {
  const { issues, owner } = context;
  const before = context.known.get(named.id);
  const type = isElementKind(input.type) ? input.type : 'guidelines';
  if (type !== input.type) {
    const shown = typeof input.type === 'string' ? `'${shorten(input.type)}'` : 'This';
    issues.add(`${shown} is no element type.`, `${path}.type`);
  }
  if (before && before.type !== input.type) {
    issues.add(`The type of an element cannot be changed; it is '${before.type}'.`, `${path}.type`);
  }
  if (owner === 'snippet' && (input.type === 'snippet' || input.type === 'url_slug')) {
    issues.add(`A snippet cannot hold an element of the type '${input.type}'.`, `${path}.type`);
  }
  const guidelines: unknown = input.guidelines ?? '';
  if (typeof guidelines !== 'string' || isLongerThan(guidelines, GUIDELINES_LIMIT)) {
    issues.add(`Guidelines are text of at most ${GUIDELINES_LIMIT} characters.`, `${path}.guidelines`);
  }
  if (input.is_required !== undefined && typeof input.is_required !== 'boolean')
    issues.add('true or false is expected.', `${path}.is_required`);
  const group = contentGroup(context, input.content_group, `${path}.content_group`);
  const base = {
    id: named.id,
    codename: named.codename,
    name: named.name,
    guidelines: input.guidelines ?? null,
    is_required: input.is_required ?? false,
    ...(named.external_id === undefined ? {} : { external_id: named.external_id }),
    ...(group === undefined ? {} : { content_group: group }),
  };
  switch (type) {
    case 'text':
      return { ...base, type, ...textLimit(issues, input, path) };
    case 'rich_text':
      return {
        ...base,
        type,
        ...textLimit(issues, input, path),
        ...allowedTypes(context, input, before, path),
        ...fileLimits(issues, 'maximum_image_size', 'allowed_image_types', input, path),
      };
    case 'number':
    case 'date_time':
      return { ...base, type };
    case 'multiple_choice':
      return {
        ...base,
        type,
        mode: choiceMode(issues, input.mode, path),
        options: options(context, input, named.id, before, path),
      };
    case 'asset':
      return {
        ...base,
        type,
        ...countLimit(issues, 'asset_count_limit', input, path),
        ...fileLimits(issues, 'maximum_file_size', 'allowed_file_types', input, path),
      };
    case 'modular_content':
      return {
        ...base,
        type,
        ...countLimit(issues, 'item_count_limit', input, path),
        ...allowedTypes(context, input, before, path),
      };
    case 'taxonomy':
      return {
        ...base,
        type,
        taxonomy_group: part(
          context,
          'taxonomies',
          'taxonomy group',
          input.taxonomy_group,
          `${path}.taxonomy_group`,
        ),
        ...countLimit(issues, 'term_count_limit', input, path),
      };
    case 'url_slug':
      // Set by `linkElements`.
      return { ...base, type, depends_on: { element: { id: '' } } };
    case 'custom':
      return {
        ...base,
        type,
        source_url: sourceUrl(issues, input.source_url, `${path}.source_url`),
        json_parameters: jsonParameters(issues, input.json_parameters, `${path}.json_parameters`),
        // Set by `linkElements`.
        allowed_elements: [],
      };
    case 'snippet':
      return {
        ...base,
        type,
        snippet: part(context, 'snippets', 'snippet', input.snippet, `${path}.snippet`),
      };
    case 'guidelines':
      return { ...base, type };
  }
}

/** `hasOwn` alone accepts a list with one kind in it. */
function isElementKind(type: unknown): type is ElementKind {
  return typeof type === 'string' && Object.hasOwn(ELEMENT_KINDS, type);
}

function part(
  { transaction, issues }: Context,
  kind: 'taxonomies' | 'snippets' | 'types',
  label: string,
  reference: Reference | undefined,
  path: string,
): IdReference {
  const found = findReferred<{ id: string; codename: string; externalId: string | null }>(
    transaction.model[kind],
    reference,
  );
  if (!found) issues.add(`There is no ${label} with ${describe(reference)}.`, path);
  return { id: found?.id ?? '' };
}

function contentGroup(
  { contentGroups, issues }: Context,
  reference: Reference | undefined,
  path: string,
): IdReference | undefined {
  if (reference === undefined || reference === null) return undefined;
  const found = findReferred(contentGroups, reference);
  if (!found) issues.add(`The type has no content group with ${describe(reference)}.`, path);
  return { id: found?.id ?? '' };
}

function choiceMode(issues: Issues, mode: unknown, path: string): 'single' | 'multiple' {
  if (mode === 'single' || mode === 'multiple') return mode;
  issues.add(`The mode is 'single' or 'multiple'.`, `${path}.mode`);
  return 'single';
}

function options(
  { transaction, issues, stored }: Context,
  input: ElementChange,
  id: string,
  before: ElementDefinition | undefined,
  path: string,
): ChoiceOption[] {
  const given = listOf(issues, input.options, `${path}.options`);
  if (given.length === 0) issues.add('A multiple choice needs at least one option.', `${path}.options`);
  if (given.length > OPTION_LIMIT) {
    issues.add(`There can be at most ${OPTION_LIMIT} options.`, `${path}.options`);
    return [];
  }
  const rules = {
    kind: `option:${id}`,
    nameLimit: OPTION_NAME_LIMIT,
    codenameLimit: OPTION_CODENAME_LIMIT,
    keepsIds: stored !== undefined,
  };
  const naming = new Naming(
    transaction,
    issues,
    rules,
    before?.type === 'multiple_choice' ? before.options : [],
  );
  naming.claim(given);
  return given.map((option, index) => naming.name(option, `${path}.options[${index}]`));
}

function allowedTypes(
  context: Context,
  input: ElementChange,
  before: ElementDefinition | undefined,
  path: string,
) {
  const allowed = before && 'allowed_content_types' in before ? (before.allowed_content_types ?? []) : [];
  const present = new Set(allowed.map(({ id }) => id));
  const given = listOf(context.issues, input.allowed_content_types, `${path}.allowed_content_types`);
  if (given.length > ALLOWED_TYPES_LIMIT) {
    const at = `${path}.allowed_content_types`;
    context.issues.add(`There can be at most ${ALLOWED_TYPES_LIMIT} allowed content types.`, at);
  }
  if (given.length === 0 || given.length > ALLOWED_TYPES_LIMIT) return {};
  const found = given.map(
    (reference, index) =>
      expectedType(context, reference, present) ??
      part(context, 'types', 'content type', reference, `${path}.allowed_content_types[${index}]`),
  );
  // One type may be named in several forms.
  return { allowed_content_types: [...new Map(found.map((type) => [type.id, type])).values()] };
}

/**
 * Types may allow each other and themselves before they exist, by external id.
 * @param present ids that the element has, of types that may not exist yet
 */
function expectedType(
  { transaction, stored }: Context,
  reference: Reference,
  present: ReadonlySet<string>,
): IdReference | undefined {
  const wanted = formOf(reference);
  if (wanted?.form === 'id' && present.has(wanted.text)) return { id: wanted.text };
  if (stored && wanted?.form === 'id' && (stored.types.has(wanted.text) || isExpectedId(wanted.text)))
    return { id: wanted.text };
  if (wanted?.form !== 'external_id') return undefined;
  const found = findReferred(transaction.model.types, reference);
  return { id: found?.id ?? idOfExternalId(transaction.project.id, 'type', wanted.text) };
}

function refuseSecondSnippet(issues: Issues, elements: readonly ElementDefinition[]): void {
  const seen = new Set<string>();
  for (const [index, element] of elements.entries()) {
    if (element.type !== 'snippet') continue;
    if (seen.has(element.snippet.id))
      issues.add('A type can hold a snippet once.', `elements[${index}].snippet`);
    seen.add(element.snippet.id);
  }
}
