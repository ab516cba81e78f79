import { isId } from '../model/external-id.ts';
import type { ElementDefinitionInput } from '../model/inputs.ts';
import { type Issues, listOf } from '../model/issues.ts';
import type { ElementDefinition } from '../model/model.ts';
import { describe, findReferred, PartIndex } from '../model/reference.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';

interface Context {
  readonly transaction: ProjectTransaction;
  readonly issues: Issues;
  /** Elements of an archive: those that they refer to may have been removed since. */
  readonly stored?: object;
  /** The present elements, by id: elements of snippets that they refer to may have been removed since. */
  readonly known: ReadonlyMap<string, ElementDefinition>;
}

/** Resolves what elements of a type refer to in the type: the text of a URL slug, what a custom element may read. */
export async function linkElements(
  context: Context,
  inputs: readonly ElementDefinitionInput[],
  elements: ElementDefinition[],
): Promise<void> {
  linkSlugs(context, inputs, elements);
  await linkAllowedElements(context, inputs, elements);
}

/** A URL slug follows a text element of the type itself or of a snippet of the type. */
function linkSlugs(
  { transaction, issues, stored, known }: Context,
  inputs: readonly ElementDefinitionInput[],
  elements: ElementDefinition[],
): void {
  const own = new PartIndex<ElementDefinition>(elements);
  for (const [index, element] of elements.entries()) {
    if (element.type !== 'url_slug') continue;
    const path = `elements[${index}].depends_on`;
    const wanted = inputs[index]?.depends_on;
    const snippet = wanted?.snippet ? findReferred(transaction.model.snippets, wanted.snippet) : undefined;
    const holds = elements.some((other) => other.type === 'snippet' && other.snippet.id === snippet?.id);
    if (wanted?.snippet && !holds)
      issues.add(`The type has no snippet with ${describe(wanted.snippet)}.`, path);
    const id = wanted?.element?.id;
    const before = known.get(element.id);
    const isPresent =
      before?.type === 'url_slug' &&
      before.depends_on.element.id === id &&
      before.depends_on.snippet?.id === snippet?.id;
    // The element of the snippet may have been deleted.
    if ((stored || isPresent) && snippet && holds && isId(id)) {
      elements[index] = { ...element, depends_on: { element: { id }, snippet: { id: snippet.id } } };
      continue;
    }
    const source = snippet
      ? findReferred<ElementDefinition>(snippet.elements, wanted?.element)
      : own.find(stored ? { id } : wanted?.element);
    if (source?.type !== 'text') {
      issues.add('A URL slug depends on a text element of the type.', path);
      continue;
    }
    elements[index] = {
      ...element,
      depends_on: {
        element: { id: source.id },
        ...(snippet === undefined ? {} : { snippet: { id: snippet.id } }),
      },
    };
  }
}

/** Resolves the elements that a custom element may read, of the type itself or of its snippets, each once. */
async function linkAllowedElements(
  { transaction, issues, stored, known }: Context,
  inputs: readonly ElementDefinitionInput[],
  elements: ElementDefinition[],
): Promise<void> {
  const snippets = elements.flatMap((element) =>
    element.type === 'snippet' ? [transaction.model.snippetById.get(element.snippet.id)] : [],
  );
  const all = new PartIndex<ElementDefinition>([
    ...elements,
    ...snippets.flatMap((snippet) => snippet?.elements ?? []),
  ]);
  const inSnippets = new Set(
    [...known.values()].flatMap((one) =>
      one.type === 'snippet'
        ? (transaction.model.snippetById.get(one.snippet.id)?.elements ?? []).map(({ id }) => id)
        : [],
    ),
  );
  for (const [index, element] of elements.entries()) {
    if (element.type !== 'custom') continue;
    const path = `elements[${index}].allowed_elements`;
    const before = known.get(element.id);
    const present = before?.type === 'custom' ? (before.allowed_elements ?? []) : [];
    const gone = new Set(present.flatMap(({ id }) => (known.has(id) || inSnippets.has(id) ? [] : [id])));
    const found = new Set<string>();
    await eachInTurns(listOf(issues, inputs[index]?.allowed_elements, path), (reference, at) => {
      const { id } = reference;
      if (id !== undefined && ((stored && isId(id)) || gone.has(id))) found.add(id);
      else {
        const other = all.find(reference);
        if (!other) issues.add(`The type has no element with ${describe(reference)}.`, `${path}[${at}]`);
        found.add(other?.id ?? '');
      }
    });
    elements[index] = { ...element, allowed_elements: [...found].map((id) => ({ id })) };
  }
}
