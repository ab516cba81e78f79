import { createProject } from '../access/projects.ts';
import { createItems } from '../content/items.ts';
import { upsertVariants } from '../content/variants.ts';
import { idOfExternalId } from '../model/external-id.ts';
import type { ComponentInput, ElementInput, ItemInput } from '../model/inputs.ts';
import type { ProjectModel } from '../model/model.ts';
import { publishWritten } from '../publishing/publish.ts';
import type { Operations } from '../transaction/operations.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { nextTurn } from '../turns/turn.ts';
import {
  BLOCK_TYPE,
  CATEGORIES,
  codenameOf,
  createGeneratedModel,
  GENERATED_TYPES,
} from './generated-model.ts';
import { Random } from './random.ts';

export interface GenerateOptions {
  readonly items: number;
  /** Id of the project to fill; default: a new project. */
  readonly project?: string;
  /** Number of languages, one unless given; six of ten items are translated. Cannot change in a later call. */
  readonly languages?: number | undefined;
  /** Is called with the id of the project before the first item. */
  readonly begin?: (project: string) => void;
  /** Is called after each commit. */
  readonly progress?: (done: number, total: number) => void;
  /** Is called when the items are there and the indexes of the database are written. */
  readonly indexing?: () => void;
  readonly signal?: AbortSignal;
}

/**
 * Items per transaction: other writers wait for about 0.3 s at most. With 200, a page of an index was written more often, and
 * the time was 7 % longer.
 */
const BATCH = 400;

/** Generates content, the same for the same numbers. Numbering continues after earlier calls for the project. */
export function generate(
  operations: Operations,
  options: GenerateOptions,
): Promise<{ readonly project: string; readonly items: number }> {
  return operations.storage.load(options.items, () => generateAll(operations, options), options.indexing);
}

async function generateAll(operations: Operations, options: GenerateOptions) {
  const { items, languages, progress } = options;
  const project =
    options.project?.toLowerCase() ??
    (
      await operations.installation(null, (installation) =>
        createProject(installation, { name: 'Generated content' }),
      )
    ).id;
  await operations.inProject(project, null, (transaction) => createGeneratedModel(transaction, languages));
  options.begin?.(project);
  const first = await operations.storage.sql.get<{ count: number }>(
    `SELECT count(*) AS count FROM item i JOIN project p ON p.number = i.project
     WHERE p.id = ? AND i.external_id LIKE 'generated-%'`,
    [project],
  );
  const start = first?.count ?? 0;
  const model = await operations.read(project, async (view) => view.model);
  let batch = await generateItems(model, start, Math.min(BATCH, items));
  for (let done = 0; done < items; ) {
    options.signal?.throwIfAborted();
    const generated = batch;
    done += generated.length;
    [, batch] = await Promise.all([
      operations.inProject(project, null, (transaction) => write(transaction, generated)),
      generateItems(model, start + done, Math.min(BATCH, items - done)),
    ]);
    progress?.(done, items);
  }
  return { project, items };
}

interface GeneratedItem {
  readonly input: ItemInput & { readonly external_id: string };
  /** By id of the language. */
  readonly elements: ReadonlyMap<string, readonly ElementInput[]>;
  readonly isDraft: boolean;
}

async function write(transaction: ProjectTransaction, items: readonly GeneratedItem[]): Promise<void> {
  await createItems(
    transaction,
    items.map(({ input }) => input),
  );
  for (const { id } of transaction.model.languages) {
    const writes = items.flatMap(({ input, elements: all, isDraft }) => {
      const elements = all.get(id);
      return elements ? { item: { external_id: input.external_id }, input: { elements }, isDraft } : [];
    });
    const variants = await upsertVariants(transaction, { id }, writes);
    await publishWritten(
      transaction,
      variants.filter((_, index) => !writes[index]?.isDraft),
    );
  }
}

/** One in a turn, so that it delays nothing that is written meanwhile. */
async function generateItems(model: ProjectModel, from: number, count: number): Promise<GeneratedItem[]> {
  const items: GeneratedItem[] = [];
  for (let index = 0; index < count; index++) {
    items.push(generateItem(model, from + index));
    await nextTurn();
  }
  return items;
}

function generateItem(model: ProjectModel, index: number): GeneratedItem {
  const random = new Random(index + 1);
  const type = codenameOf(typeOf(random));
  const name = `${random.sentence(3).slice(0, 36)} ${index}`;
  const input = {
    external_id: externalIdOf(index),
    name,
    codename: `item_${index}`,
    type: { codename: type },
  };
  const elements = new Map<string, ElementInput[]>();
  for (const language of model.languages) {
    if (language !== model.defaultLanguage && random.below(10) >= 6) continue;
    elements.set(language.id, elementsOf(model.project.id, index, type, name, random));
  }
  // One in fifty stays a draft.
  return { input, elements, isDraft: index % 50 === 49 };
}

/** One in five items is an article, one in a hundred a long page. */
function typeOf(random: Random): string {
  const at = random.below(100);
  if (at < 20) return GENERATED_TYPES[0];
  if (at === 20) return GENERATED_TYPES[1];
  return GENERATED_TYPES[2 + (at % (GENERATED_TYPES.length - 2))] ?? GENERATED_TYPES[0];
}

function elementsOf(
  project: string,
  index: number,
  type: string,
  title: string,
  random: Random,
): ElementInput[] {
  const element = (codename: string, value: unknown, more: object = {}): ElementInput => ({
    element: { codename },
    value,
    ...more,
  });
  const count = type === codenameOf(GENERATED_TYPES[1]) ? 50 : index % 10 === 0 ? 2 : 0;
  const components = Array.from({ length: count }, (_, at) => block(project, index, at, random));
  const related = index < 3 ? [] : [...new Set([random.below(index), random.below(index)])];
  return [
    element('title', title),
    element('summary', random.paragraph(2)),
    element('body', body(random, components), { components }),
    element('rank', random.below(100_000) / 4),
    element(
      'published_on',
      `${new Date(Date.UTC(2015, 0, 1) + random.below(315_360_000) * 1000).toISOString().slice(0, 19)}Z`,
    ),
    element('category', [{ codename: random.pick(CATEGORIES) }]),
    element('topics', [{ codename: `topic_${random.below(10)}_${random.below(5)}` }]),
    element(
      'related',
      related.map((other) => ({ id: itemId(project, other) })),
    ),
    element('slug', `item-${index}`),
    element('metadata__meta_title', title),
    element('metadata__meta_description', random.sentence(12)),
  ];
}

function body(random: Random, components: readonly ComponentInput[]): string {
  const parts = Array.from({ length: 3 }, () => `<p>${random.paragraph(3)}</p>`);
  parts.splice(1, 0, `<h2>${random.sentence(4)}</h2>`);
  for (const component of components)
    parts.push(
      `<object type="application/service" data-type="component" data-id="${component.id}"></object>`,
    );
  return parts.join('');
}

function block(project: string, index: number, at: number, random: Random): ComponentInput {
  return {
    id: idOfExternalId(project, 'component', `${externalIdOf(index)}-${at}`),
    type: { codename: codenameOf(BLOCK_TYPE) },
    elements: [
      { element: { codename: 'heading' }, value: random.sentence(4) },
      { element: { codename: 'content' }, value: `<p>${random.paragraph(1)}</p>` },
    ],
  };
}

function itemId(project: string, index: number): string {
  return idOfExternalId(project, 'item', externalIdOf(index));
}

function externalIdOf(index: number): string {
  return `generated-${index}`;
}
