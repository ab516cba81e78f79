import type { ContentType } from '../model/model.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { countStaleDocuments, isRecompiling } from './count-documents.ts';
import type { DryRun } from './dry-run.ts';
import { examineValues } from './examine-values.ts';
import {
  type ChangedElement,
  type CodenameChange,
  modelChanges,
  type RemovedMember,
  type Rule,
} from './model-changes.ts';
import {
  countBreaking,
  countOfTypes,
  countWithComponents,
  countWithMembers,
  countWithValue,
} from './value-counts.ts';

export interface Breaking {
  readonly rule: Rule;
  readonly items: number;
  /** False: the time ended before all values were examined, and there may be more items. */
  readonly isComplete: boolean;
}

export interface ElementImpact {
  readonly element: ChangedElement;
  /** Items with a value of it; null: more elements are concerned than are counted. */
  readonly items: number | null;
  /** By each rule that is new. */
  readonly breaking: readonly Breaking[];
}

export interface ModelImpact {
  readonly elements: readonly ElementImpact[];
  readonly removed: readonly { readonly member: RemovedMember; readonly items: number }[];
  readonly codenames: readonly CodenameChange[];
  /** Items of the types concerned, and items with components of them. */
  readonly items: number;
  readonly withComponents: number;
  /** Archived items that are deleted with their type. */
  readonly archivedItems: number;
  readonly documents: number;
  /** An earlier change is still being compiled, so values of new elements may be missing in the counts. */
  readonly isRecompiling: boolean;
}

/** Elements whose values are counted; each takes some ten milliseconds for 100,000 items. */
const COUNTED = 20;
/** For what the index cannot answer, of all rules together. */
const EXAMINATION_MS = 600;

/** What a change of types, snippets, taxonomies or the sitemap does to content. Reads only. */
export async function modelImpact(
  view: ProjectView,
  { before, after, staleMarks }: DryRun,
): Promise<ModelImpact> {
  const until = performance.now() + EXAMINATION_MS;
  const changes = modelChanges(before, after);
  const types = before.types.filter((type) => staleMarks.has(`type:${type.number}`));
  const withComponents = types.length > 0 ? await countWithComponents(view, types) : 0;
  const elements: ElementImpact[] = [];
  for (const [index, element] of changes.elements.entries()) {
    if (index >= COUNTED) {
      elements.push({ element, items: null, breaking: [] });
      continue;
    }
    const items = element.change === 'add' ? 0 : await countWithValue(view, element);
    elements.push({ element, items, breaking: [] });
  }
  const counts = await countWithMembers(view, changes.removed);
  const impact = {
    removed: changes.removed.map((member) => ({ member, items: counts.get(member.id) ?? 0 })),
    codenames: changes.codenames,
    items: types.length > 0 ? await countOfTypes(view, types) : 0,
    withComponents,
    archivedItems: await countArchived(
      view,
      before.types.filter(({ id }) => !after.typeById.has(id)),
    ),
    documents: staleMarks.size > 0 ? await countStaleDocuments(view, staleMarks) : 0,
    isRecompiling: await isRecompiling(view),
  };
  // Last, because they may take all of the time.
  const judged: ElementImpact[] = [];
  for (const counted of elements) {
    const breaking: Breaking[] = [];
    if (counted.items !== null)
      for (const rule of counted.element.rules)
        breaking.push({
          rule,
          ...(await breakingOf(view, after, counted.element, rule, until, withComponents > 0)),
        });
    judged.push({ ...counted, breaking });
  }
  return { ...impact, elements: judged };
}

async function breakingOf(
  view: ProjectView,
  after: DryRun['after'],
  element: ChangedElement,
  rule: Rule,
  until: number,
  hasComponents: boolean,
): Promise<Omit<Breaking, 'rule'>> {
  const counted = await countBreaking(view, after, element, rule);
  if (counted !== undefined && !hasComponents) return { items: counted, isComplete: true };
  const of = counted === undefined && element.change !== 'add' ? 'all' : 'components';
  const { items, isComplete } = await examineValues(view, after, element, rule, { until, of });
  if (counted === undefined) return { items: items.size, isComplete };
  // Values of their own, perhaps in another language, may break it as well.
  const both = (await countBreaking(view, after, element, rule, [...items])) ?? 0;
  return { items: counted + items.size - both, isComplete };
}

async function countArchived({ tx }: ProjectView, types: readonly ContentType[]): Promise<number> {
  if (types.length === 0) return 0;
  const among = tx.among(
    'type',
    types.map(({ number }) => number),
  );
  const row = await tx.get<{ items: number }>(
    `SELECT count(*) AS items FROM item WHERE ${among.text} AND archived IS NOT NULL`,
    [among.parameter],
  );
  return row?.items ?? 0;
}
