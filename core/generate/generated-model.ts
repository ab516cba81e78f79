import { createLanguage } from '../content/languages.ts';
import { createSnippet } from '../content/snippets.ts';
import { createTaxonomy } from '../content/taxonomies.ts';
import { createType } from '../content/types.ts';
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

/** Creates the model of generated content unless it exists. */
export async function createGeneratedModel(
  transaction: ProjectTransaction,
  languages: number,
): Promise<void> {
  if (transaction.model.typeByCodename.has(codenameOf(GENERATED_TYPES[0]))) return;
  for (let index = 1; index < languages; index++)
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
