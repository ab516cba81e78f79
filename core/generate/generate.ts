import { createProject } from '../access/projects.ts';
import { createItem } from '../content/items.ts';
import { upsertVariant } from '../content/variants.ts';
import { idOfExternalId } from '../model/external-id.ts';
import type { ComponentInput, ElementInput } from '../model/inputs.ts';
import { publishVariant } from '../publishing/publish.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import {
  BLOCK_TYPE,
  CATEGORIES,
  codenameOf,
  createGeneratedModel,
  GENERATED_TYPES,
} from './generated-model.ts';
import { Dice } from './words.ts';

export interface GenerateOptions {
  readonly items: number;
  /** Id of the project to fill; a project of its own when absent. */
  readonly project?: string;
  /** Languages in all; a translation exists for six items of ten. */
  readonly languages?: number;
  readonly progress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** Items made in one transaction: 40 % faster than single ones, and other writers wait for some 0.3 s at most. */
const BATCH = 200;

/**
 * Deterministic content for load tests, made through the operations: twenty types, two links an item,
 * taxonomies, rich text, every tenth with components, one type with fifty of them. Numbering goes on where an
 * earlier call on the same project left off.
 */
export async function generate(
  operations: Operations,
  options: GenerateOptions,
): Promise<{ readonly project: string; readonly items: number }> {
  const { items, languages = 1, progress } = options;
  const project =
    options.project ??
    (
      await operations.installation(null, (installation) =>
        createProject(installation, { name: 'Generated content' }),
      )
    ).id;
  await operations.inProject(project, null, (transaction) => createGeneratedModel(transaction, languages));
  const first = await operations.storage.sql.get<{ count: number }>(
    `SELECT count(*) AS count FROM item i JOIN project p ON p.number = i.project
     WHERE p.id = ? AND i.external_id LIKE 'generated-%'`,
    [project],
  );
  const start = first?.count ?? 0;
  for (let done = 0; done < items; done += BATCH) {
    options.signal?.throwIfAborted();
    const count = Math.min(BATCH, items - done);
    await operations.inProject(project, null, async (transaction) => {
      for (let index = 0; index < count; index++) await generateItem(transaction, start + done + index);
    });
    progress?.(done + count, items);
  }
  return { project, items };
}

async function generateItem(transaction: ProjectTransaction, index: number): Promise<void> {
  const dice = new Dice(index + 1);
  const externalId = externalIdOf(index);
  const type = codenameOf(typeOf(dice));
  const title = `${dice.sentence(3).slice(0, 36)} ${index}`;
  const item = { external_id: externalId };
  await createItem(transaction, {
    name: title,
    codename: `item_${index}`,
    type: { codename: type },
    ...item,
  });
  const { defaultLanguage, languages } = transaction.model;
  for (const language of languages) {
    if (language !== defaultLanguage && dice.below(10) >= 6) continue;
    const elements = elementsOf(transaction, index, type, title, dice);
    await upsertVariant(transaction, item, { id: language.id }, { elements });
    // One in fifty stays a draft.
    if (index % 50 !== 49) await publishVariant(transaction, item, { id: language.id });
  }
}

/** A fifth are articles, one in a hundred is a long page. */
function typeOf(dice: Dice): string {
  const at = dice.below(100);
  if (at < 20) return GENERATED_TYPES[0];
  if (at === 20) return GENERATED_TYPES[1];
  return GENERATED_TYPES[2 + (at % (GENERATED_TYPES.length - 2))] ?? GENERATED_TYPES[0];
}

function elementsOf(
  transaction: ProjectTransaction,
  index: number,
  type: string,
  title: string,
  dice: Dice,
): ElementInput[] {
  const element = (codename: string, value: unknown, more: object = {}): ElementInput => ({
    element: { codename },
    value,
    ...more,
  });
  const count = type === codenameOf(GENERATED_TYPES[1]) ? 50 : index % 10 === 0 ? 2 : 0;
  const components = Array.from({ length: count }, (_, at) => block(transaction, index, at, dice));
  const related = index < 3 ? [] : [...new Set([dice.below(index), dice.below(index)])];
  return [
    element('title', title),
    element('summary', dice.paragraph(2)),
    element('body', body(dice, components), { components }),
    element('rank', dice.below(100_000) / 4),
    element(
      'published_on',
      `${new Date(Date.UTC(2015, 0, 1) + dice.below(315_360_000) * 1000).toISOString().slice(0, 19)}Z`,
    ),
    element('category', [{ codename: dice.pick(CATEGORIES) }]),
    element('topics', [{ codename: `topic_${dice.below(10)}_${dice.below(5)}` }]),
    element(
      'related',
      related.map((other) => ({ id: itemId(transaction, other) })),
    ),
    element('slug', `item-${index}`),
    element('metadata__meta_title', title),
    element('metadata__meta_description', dice.sentence(12)),
  ];
}

function body(dice: Dice, components: readonly ComponentInput[]): string {
  const parts = Array.from({ length: 3 }, () => `<p>${dice.paragraph(3)}</p>`);
  parts.splice(1, 0, `<h2>${dice.sentence(4)}</h2>`);
  for (const component of components)
    parts.push(
      `<object type="application/service" data-type="component" data-id="${component.id}"></object>`,
    );
  return parts.join('');
}

function block(transaction: ProjectTransaction, index: number, at: number, dice: Dice): ComponentInput {
  return {
    id: idOfExternalId(transaction.project.id, 'component', `${externalIdOf(index)}-${at}`),
    type: { codename: codenameOf(BLOCK_TYPE) },
    elements: [
      { element: { codename: 'heading' }, value: dice.sentence(4) },
      { element: { codename: 'content' }, value: `<p>${dice.paragraph(1)}</p>` },
    ],
  };
}

function itemId(transaction: ProjectTransaction, index: number): string {
  return idOfExternalId(transaction.project.id, 'item', externalIdOf(index));
}

function externalIdOf(index: number): string {
  return `generated-${index}`;
}
