/**
 * A random project as a list of steps, and changes to it. The same seed makes the same steps. Steps come in
 * batches; a batch is one transaction.
 */
import { type Draft, emptyDraft, nextKey } from './content-draft.ts';
import type { Random } from './random.ts';
import { modelSteps } from './random-model.ts';
import { randomValues } from './random-values.ts';
import type { Step } from './steps.ts';
import { displayName } from './texts.ts';

export interface RandomContent {
  readonly draft: Draft;
  readonly batches: readonly (readonly Step[])[];
}

export function randomContent(random: Random): RandomContent {
  const draft = emptyDraft();
  const model = modelSteps(draft, random);
  const items = random.times(6, 26, () => newItem(draft, random));
  // All items first, so that the first of them can already link to the last.
  const variants = items.flatMap((item) => variantSteps(draft, random, item.key));
  return { draft, batches: [model, items, ...inBatches(random, variants), deactivations(draft, random)] };
}

/** Last, because an inactive language takes no content. */
function deactivations(draft: Draft, random: Random): Step[] {
  return [...draft.languages.values()].slice(1).flatMap((language) => {
    if (!random.chance(0.15)) return [];
    const changed = { ...language, active: false };
    draft.languages.set(language.key, changed);
    return [changed];
  });
}

export function newItem(draft: Draft, random: Random): Extract<Step, { do: 'item' }> {
  const key = nextKey(draft, 'item');
  const step = {
    do: 'item' as const,
    key,
    name: displayName(random, random.pick(['Article', 'article', 'Page', 'Éclair', 'Zoo'])),
    codename: `${random.pick(['a', 'b', 'item', 'z'])}_${key.replace('-', '_')}`,
    type: random.pick([...draft.types.keys()]),
    sitemap: random.some(draft.nodes, 3),
  };
  draft.items.set(key, step);
  return step;
}

/** Variants of an item: none to all languages; drafts, published ones, and published ones with a newer draft. */
export function variantSteps(draft: Draft, random: Random, item: string): Step[] {
  const languages = [...draft.languages.values()].filter((language) => language.active);
  return random.some(languages, 4).flatMap(({ key: language }) => {
    const steps: Step[] = [writeStep(draft, random, item, language, 0.8)];
    if (random.chance(0.75)) steps.push(...publishSteps(draft, item, language));
    if (random.chance(0.25)) steps.push(...newDraftSteps(draft, random, item, language));
    return steps;
  });
}

function writeStep(draft: Draft, random: Random, item: string, language: string, share: number): Step {
  const type = draft.types.get(draft.items.get(item)!.type)!;
  const state = draft.variants.get(`${item}/${language}`);
  const published = state?.published === true && !state.archived;
  draft.variants.set(`${item}/${language}`, { draft: true, published, archived: false });
  return { do: 'variant', item, language, values: randomValues(draft, random, type, share) };
}

export function publishSteps(draft: Draft, item: string, language: string): Step[] {
  const state = draft.variants.get(`${item}/${language}`);
  if (!state?.draft) return [];
  draft.variants.set(`${item}/${language}`, { draft: false, published: true, archived: false });
  return [{ do: 'publish', item, language }];
}

/** A new version where the published one is the latest, then other values in it. */
export function newDraftSteps(draft: Draft, random: Random, item: string, language: string): Step[] {
  const state = draft.variants.get(`${item}/${language}`);
  const steps: Step[] = [];
  if (state?.published && !state.draft) steps.push({ do: 'new-version', item, language });
  return [...steps, writeStep(draft, random, item, language, 0.5)];
}

export function unpublishSteps(draft: Draft, item: string, language: string): Step[] {
  if (!draft.variants.get(`${item}/${language}`)?.published) return [];
  draft.variants.set(`${item}/${language}`, { draft: true, published: false, archived: false });
  return [{ do: 'unpublish', item, language }];
}

export function inBatches(random: Random, steps: readonly Step[]): Step[][] {
  const batches: Step[][] = [];
  for (let at = 0; at < steps.length; ) {
    const size = random.int(1, 12);
    batches.push(steps.slice(at, at + size));
    at += size;
  }
  return batches;
}
