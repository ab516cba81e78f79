import { createLanguage } from '../content/languages.ts';
import { createSnippet } from '../content/snippets.ts';
import { createTaxonomy } from '../content/taxonomies.ts';
import { createType } from '../content/types.ts';
import { ServiceError } from '../errors.ts';
import type { ElementDefinitionInput } from '../model/inputs.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';

/** Distributed like the types of an old project: a fifth of the items has the first type; the second is for long pages. */
export const GENERATED_TYPES = [
  'Article',
  'Landing page',
  'News',
  'Event',
  'Guide',
  'Person',
  'Place',
  'Product',
  'Recipe',
  'Review',
  'Interview',
  'Gallery',
  'Report',
  'Course',
  'Lesson',
  'Project',
  'Partner',
  'Job',
  'Question',
  'Notice',
] as const;

/** Type of components; it has no items. */
export const BLOCK_TYPE = 'Block';
export const CATEGORIES = ['daily', 'weekly', 'monthly', 'yearly'] as const;

export const codenameOf = (name: string) => name.toLowerCase().replaceAll(' ', '_');

const TYPES = [...GENERATED_TYPES, BLOCK_TYPE].map(codenameOf);

/**
 * Creates the model of generated content unless it exists.
 *
 * @param languages in all; one where it is not given, or those that there are
 * @throws conflict for a project with another model
 */
export async function createGeneratedModel(
  transaction: ProjectTransaction,
  languages: number | undefined,
): Promise<void> {
  const { model } = transaction;
  if (TYPES.every((codename) => model.typeByCodename.has(codename))) {
    const there = model.languages.length;
    if (languages === undefined || languages === there) return;
    throw new ServiceError(
      'conflict',
      `The number of languages is that of the first call for a project, here ${there}; leave it out, or name another project.`,
    );
  }
  const taken =
    TYPES.find((codename) => model.typeByCodename.has(codename)) ??
    (model.taxonomyByCodename.has('topics') ? 'topics' : undefined) ??
    (model.snippets.some(({ codename }) => codename === 'metadata') ? 'metadata' : undefined);
  if (taken !== undefined) {
    throw new ServiceError(
      'conflict',
      `The project has a model of its own, with '${taken}', which generated content needs for itself; name no project, or an empty one.`,
    );
  }
  for (let index = 1; index < (languages ?? 1); index++)
    await createLanguage(transaction, { name: `Language ${index}`, codename: languageCodename(index) });
  await createTaxonomy(transaction, {
    name: 'Topics',
    terms: Array.from({ length: 10 }, (_, top) => ({
      name: `Topic ${top}`,
      terms: Array.from({ length: 5 }, (_, inner) => ({ name: `Topic ${top} ${inner}` })),
    })),
  });
  await createSnippet(transaction, {
    name: 'Metadata',
    elements: [
      { type: 'text', name: 'Meta title' },
      { type: 'text', name: 'Meta description' },
    ],
  });
  await createType(transaction, {
    name: BLOCK_TYPE,
    elements: [
      { type: 'text', name: 'Heading' },
      { type: 'rich_text', name: 'Content' },
    ],
  });
  for (const name of GENERATED_TYPES) await createType(transaction, { name, elements: ELEMENTS });
}

export function languageCodename(index: number): string {
  return `language-${index}`;
}

const ELEMENTS: readonly ElementDefinitionInput[] = [
  { type: 'text', name: 'Title' },
  { type: 'text', name: 'Summary' },
  { type: 'rich_text', name: 'Body' },
  { type: 'number', name: 'Rank' },
  { type: 'date_time', name: 'Published on' },
  {
    type: 'multiple_choice',
    name: 'Category',
    mode: 'multiple',
    options: CATEGORIES.map((name) => ({ name })),
  },
  { type: 'taxonomy', name: 'Topics', taxonomy_group: { codename: 'topics' } },
  { type: 'modular_content', name: 'Related' },
  { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'title' } } },
  { type: 'snippet', snippet: { codename: 'metadata' } },
];
