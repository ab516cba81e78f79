/** Later changes, so that what was compiled before has to follow. */
import { type Draft, nextKey } from './content-draft.ts';
import type { Random } from './random.ts';
import { newDraftSteps, newItem, publishSteps, unpublishSteps, variantSteps } from './random-content.ts';
import { descriptions, elementStep, optionStep, termStep } from './random-model.ts';
import type { ElementStep, Step, TermStep } from './steps.ts';
import { displayName } from './texts.ts';

type Change = (draft: Draft, random: Random) => Step[];

const CHANGES: readonly Change[] = [
  renameType,
  changeElements,
  changeElements,
  changeElements,
  changeSnippet,
  changeTerms,
  renameItem,
  renameItem,
  moveItem,
  changeLanguage,
  describeAsset,
  addItem,
  republish,
  republish,
  republish,
  unpublish,
  unpublish,
  changeSitemap,
  replaceFile,
  archiveItem,
  restoreItem,
  archiveVariant,
  restoreVariant,
];

export function randomChanges(draft: Draft, random: Random): Step[][] {
  return random.times(2, 8, () => random.pick(CHANGES)(draft, random)).filter((steps) => steps.length > 0);
}

function renameType(draft: Draft, random: Random): Step[] {
  const type = random.pick([...draft.types.values()]);
  const changed = { ...type, name: displayName(random, 'Kind'), codename: fresh(draft, 'kind') };
  draft.types.set(type.key, changed);
  return [changed];
}

function changeElements(draft: Draft, random: Random): Step[] {
  const type = random.pick([...draft.types.values()]);
  const changed = { ...type, elements: changedElements(draft, random, type.elements) };
  draft.types.set(type.key, changed);
  return [changed];
}

function changeSnippet(draft: Draft, random: Random): Step[] {
  if (draft.snippets.size === 0) return [];
  const snippet = random.pick([...draft.snippets.values()]);
  const changed = random.chance(0.5)
    ? { ...snippet, codename: fresh(draft, 'renamed') }
    : { ...snippet, elements: changedElements(draft, random, snippet.elements) };
  draft.snippets.set(snippet.key, changed);
  return [changed];
}

function changedElements(draft: Draft, random: Random, elements: readonly ElementStep[]): ElementStep[] {
  const at = random.int(0, elements.length - 1);
  const element = elements[at]!;
  const replaced = (one: ElementStep) => elements.map((other, index) => (index === at ? one : other));
  switch (random.int(0, 5)) {
    case 0:
      return replaced({ ...element, codename: fresh(draft, 'renamed') });
    case 1:
      return replaced({ ...element, name: displayName(random, 'Renamed') });
    case 2: {
      const added = elementStep(draft, random);
      const taken = elements.some((other) => other.codename === added.codename);
      return [...elements, taken ? { ...added, codename: fresh(draft, 'added') } : added];
    }
    case 3:
      return random.shuffled(elements);
    case 4:
      if (element.options) {
        const [first, ...rest] = element.options;
        const renamed = { ...first!, name: displayName(random, 'Choice'), codename: fresh(draft, 'choice') };
        const kept = rest.filter(() => random.chance(0.8));
        return replaced({
          ...element,
          options: random.shuffled([renamed, ...kept, optionStep(draft, random)]),
        });
      }
      return replaced({ ...element, codename: fresh(draft, 'renamed') });
    default: {
      const needed = elements.some((other) => other.dependsOn === element.key);
      return needed || elements.length === 1 ? [...elements] : elements.filter((other) => other !== element);
    }
  }
}

function changeTerms(draft: Draft, random: Random): Step[] {
  const taxonomy = random.pick([...draft.taxonomies.values()]);
  const rename = (term: TermStep): TermStep => ({
    ...term,
    ...(random.chance(0.3) ? { name: displayName(random, 'Word'), codename: fresh(draft, 'word') } : {}),
    terms: term.terms.map(rename),
  });
  const kept = taxonomy.terms.filter(() => random.chance(0.85)).map(rename);
  const changed = {
    ...taxonomy,
    ...(random.chance(0.3) ? { codename: fresh(draft, 'topics') } : {}),
    terms: [...random.shuffled(kept), termStep(draft, random, 1)],
  };
  draft.taxonomies.set(taxonomy.key, changed);
  return [changed];
}

function renameItem(draft: Draft, random: Random): Step[] {
  const item = random.pick([...draft.items.values()]);
  const changed = {
    ...item,
    sitemap: item.sitemap.filter((node) => draft.nodes.includes(node)),
    name: displayName(random, 'Renamed'),
    codename: fresh(draft, random.pick(['a', 'm', 'z'])),
  };
  draft.items.set(item.key, changed);
  return [changed];
}

function moveItem(draft: Draft, random: Random): Step[] {
  const item = random.pick([...draft.items.values()]);
  const changed = { ...item, sitemap: random.some(draft.nodes, 3) };
  draft.items.set(item.key, changed);
  return [changed];
}

function changeLanguage(draft: Draft, random: Random): Step[] {
  const [first, ...others] = [...draft.languages.values()];
  const language = random.pick(others);
  // Only earlier ones are fallbacks, so that a chain has an end; a ring is the service's own rule to refuse.
  const earlier = [first!, ...others.slice(0, others.indexOf(language))];
  const changed = random.chance(0.3)
    ? { ...language, codename: `l-${nextKey(draft, 'X')}` }
    : {
        ...language,
        active: random.chance(0.7),
        fallback: random.chance(0.2) ? null : random.pick(earlier.filter(({ active }) => active)).key,
      };
  draft.languages.set(language.key, changed);
  return [changed];
}

function describeAsset(draft: Draft, random: Random): Step[] {
  const asset = random.pick([...draft.assets.values()]);
  const changed = { ...asset, descriptions: { ...asset.descriptions, ...descriptions(draft, random) } };
  draft.assets.set(asset.key, changed);
  return [changed];
}

function addItem(draft: Draft, random: Random): Step[] {
  const item = newItem(draft, random);
  return [item, ...variantSteps(draft, random, item.key)];
}

function republish(draft: Draft, random: Random): Step[] {
  const [item, language] = randomVariant(draft, random);
  if (item === undefined || language === undefined) return [];
  const steps = newDraftSteps(draft, random, item, language);
  return random.chance(0.8) ? [...steps, ...publishSteps(draft, item, language)] : steps;
}

function unpublish(draft: Draft, random: Random): Step[] {
  const [item, language] = randomVariant(draft, random);
  return item === undefined || language === undefined ? [] : unpublishSteps(draft, item, language);
}

function changeSitemap(draft: Draft, random: Random): Step[] {
  const kept = draft.sitemap.nodes.filter(() => random.chance(0.8));
  const nodes = random.shuffled(kept).map((node) => ({
    ...node,
    ...(random.chance(0.5) ? { name: displayName(random, 'Spot'), codename: fresh(draft, 'spot') } : {}),
    nodes: random.chance(0.8) ? node.nodes : [],
  }));
  draft.sitemap = { do: 'sitemap', nodes };
  draft.nodes = nodes.flatMap((node) => [node.key, ...node.nodes.map(({ key }) => key)]);
  return [draft.sitemap];
}

function replaceFile(draft: Draft, random: Random): Step[] {
  const asset = random.pick([...draft.assets.values()]);
  const name = fresh(draft, 'file');
  const changed = { ...asset, fileName: `${name}.pdf`, type: 'application/pdf', content: name };
  draft.assets.set(asset.key, changed);
  return [changed];
}

function archiveItem(draft: Draft, random: Random): Step[] {
  const item = random.pick([...draft.items.values()]);
  if (draft.items.size < 4) return [];
  draft.items.delete(item.key);
  draft.archivedItems.set(item.key, item);
  return [{ do: 'archive-item', item: item.key }];
}

function restoreItem(draft: Draft, random: Random): Step[] {
  if (draft.archivedItems.size === 0) return [];
  const item = random.pick([...draft.archivedItems.values()]);
  draft.archivedItems.delete(item.key);
  draft.items.set(item.key, item);
  return [{ do: 'restore-item', item: item.key }];
}

/** Only where another one is left: the item goes with its last variant. */
function archiveVariant(draft: Draft, random: Random): Step[] {
  const [item, language] = randomVariant(draft, random);
  if (item === undefined || language === undefined) return [];
  const left = [...draft.variants].filter(([key, state]) => key.startsWith(`${item}/`) && !state.archived);
  if (left.length < 2) return [];
  const state = draft.variants.get(`${item}/${language}`)!;
  draft.variants.set(`${item}/${language}`, { ...state, archived: true });
  return [{ do: 'archive-variant', item, language }];
}

function restoreVariant(draft: Draft, random: Random): Step[] {
  const [item, language] = randomVariant(draft, random, true);
  if (item === undefined || language === undefined) return [];
  const state = draft.variants.get(`${item}/${language}`)!;
  draft.variants.set(`${item}/${language}`, { ...state, archived: false });
  return [{ do: 'restore-variant', item, language }];
}

/** Item and language of a variant that can be worked on. */
function randomVariant(draft: Draft, random: Random, archived = false): [string?, string?] {
  const keys = [...draft.variants].flatMap(([key, state]) => {
    const [item, language] = key.split('/') as [string, string];
    const workable = draft.items.has(item) && draft.languages.get(language)!.active;
    return workable && state.archived === archived ? [key] : [];
  });
  return keys.length === 0 ? [] : (random.pick(keys).split('/') as [string, string]);
}

function fresh(draft: Draft, word: string): string {
  return nextKey(draft, word).replace('-', '_').toLowerCase();
}
