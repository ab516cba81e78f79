/** Languages, taxonomies, sitemap, snippets, types and assets of a random project. */
import type { OracleKind } from '../oracle/content.ts';
import { DEFAULT_LANGUAGE, type Draft, nextKey } from './content-draft.ts';
import type { Random } from './random.ts';
import type { ElementStep, NodeStep, Step, TermStep } from './steps.ts';
import { displayName } from './texts.ts';

const KINDS: readonly (OracleKind | 'guidelines')[] = [
  'text',
  'text',
  'number',
  'number',
  'date_time',
  'rich_text',
  'rich_text',
  'modular_content',
  'modular_content',
  'multiple_choice',
  'taxonomy',
  'asset',
  'custom',
  'guidelines',
];

/** Codenames that several types share, sometimes with different kinds. */
const SHARED = ['title', 'body', 'related', 'price', 'tags', 'state', 'x', 'system', 'order', 'limit'];

export function modelSteps(draft: Draft, random: Random): Step[] {
  return [
    ...languageSteps(draft, random),
    ...random.times(1, 2, () => taxonomyStep(draft, random)),
    sitemapStep(draft, random),
    ...random.times(0, 2, () => snippetStep(draft, random)),
    ...random.times(3, 6, () => typeStep(draft, random)),
    ...random.times(2, 5, () => assetStep(draft, random)),
  ];
}

function languageSteps(draft: Draft, random: Random): Step[] {
  const codenames = ['en-US', 'de-DE', 'pt_BR', 'ja'].slice(0, random.int(2, 4));
  return codenames.map((codename, index) => {
    const key = index === 0 ? DEFAULT_LANGUAGE : nextKey(draft, 'language');
    const others = [...draft.languages.keys()];
    const step = {
      do: 'language' as const,
      key,
      name: displayName(random, codename).slice(0, 25),
      codename,
      active: true,
      fallback: index === 0 || random.chance(0.15) ? null : random.pick(others),
    };
    draft.languages.set(key, step);
    return step;
  });
}

function taxonomyStep(draft: Draft, random: Random): Step {
  const key = nextKey(draft, 'taxonomy');
  const step = {
    do: 'taxonomy' as const,
    key,
    name: displayName(random, 'Topics'),
    codename: key.replace('-', '_'),
    terms: random.times(2, 4, () => termStep(draft, random, 3)),
  };
  draft.taxonomies.set(key, step);
  return step;
}

export function termStep(draft: Draft, random: Random, levels: number): TermStep {
  const key = nextKey(draft, 'term');
  return {
    key,
    name: displayName(random, 'Term'),
    codename: key.replace('-', '_'),
    terms: levels > 1 ? random.times(0, 2, () => termStep(draft, random, levels - 1)) : [],
  };
}

function sitemapStep(draft: Draft, random: Random): Step {
  const node = (levels: number): NodeStep => {
    const key = nextKey(draft, 'node');
    draft.nodes.push(key);
    const nodes = levels > 1 ? random.times(0, 2, () => node(levels - 1)) : [];
    return { key, name: displayName(random, 'Place'), codename: key.replace('-', '_'), nodes };
  };
  draft.sitemap = { do: 'sitemap', nodes: random.times(1, 3, () => node(2)) };
  return draft.sitemap;
}

function snippetStep(draft: Draft, random: Random): Step {
  const key = nextKey(draft, 'snippet');
  const step = {
    do: 'snippet' as const,
    key,
    name: displayName(random, 'Metadata'),
    codename: key.replace('-', '_'),
    elements: distinct(random.times(1, 3, () => elementStep(draft, random))),
  };
  draft.snippets.set(key, step);
  return step;
}

function typeStep(draft: Draft, random: Random): Step {
  const key = nextKey(draft, 'type');
  const elements = random.times(2, 9, () => elementStep(draft, random));
  const texts = elements.filter((element) => element.kind === 'text');
  if (texts.length > 0 && random.chance(0.6)) {
    elements.push({ ...named(draft, random, 'url_slug', 'url'), dependsOn: random.pick(texts).key });
  }
  for (const snippet of random.some([...draft.snippets.keys()], 2)) {
    elements.splice(random.int(0, elements.length), 0, {
      ...named(draft, random, 'snippet', nextKey(draft, 's')),
      snippet,
    });
  }
  const step = {
    do: 'type' as const,
    key,
    name: displayName(random, 'Type'),
    codename: key.replace('-', '_'),
    elements: distinct(elements),
  };
  draft.types.set(key, step);
  return step;
}

/** Two elements of one type cannot share a codename; a slug whose text went goes too. */
function distinct(elements: readonly ElementStep[]): ElementStep[] {
  const seen = new Set<string>();
  const kept = elements.filter((element) => !seen.has(element.codename) && seen.add(element.codename));
  return kept.filter((element) => !element.dependsOn || kept.some(({ key }) => key === element.dependsOn));
}

export function elementStep(draft: Draft, random: Random): ElementStep {
  const kind = random.pick(KINDS);
  const codename = random.chance(0.6) ? random.pick(SHARED) : nextKey(draft, 'e').replace('-', '_');
  const element = named(draft, random, kind, codename);
  if (kind === 'taxonomy') return { ...element, group: random.pick([...draft.taxonomies.keys()]) };
  if (kind !== 'multiple_choice') return element;
  return {
    ...element,
    mode: random.pick(['single', 'multiple']),
    options: random.times(2, 5, () => optionStep(draft, random)),
  };
}

export function optionStep(draft: Draft, random: Random) {
  const key = nextKey(draft, 'option');
  return { key, name: displayName(random, 'Option'), codename: key.replace('-', '_') };
}

function named(draft: Draft, random: Random, kind: ElementStep['kind'], codename: string): ElementStep {
  return {
    key: nextKey(draft, 'element'),
    kind,
    name: displayName(random, 'Field'),
    codename: codename.replaceAll('-', '_'),
  };
}

function assetStep(draft: Draft, random: Random): Step {
  const key = nextKey(draft, 'asset');
  const step = {
    do: 'asset' as const,
    key,
    fileName: random.pick(['image.png', 'a b.jpg', 'straße.gif', 'note.txt', '100%.txt', `${key}.pdf`]),
    type: random.pick(['image/png', 'text/plain', 'application/pdf']),
    content: key.repeat(random.int(1, 5)),
    descriptions: descriptions(draft, random),
  };
  draft.assets.set(key, step);
  return step;
}

export function descriptions(draft: Draft, random: Random): Record<string, string> {
  const languages = random.some([...draft.languages.keys()], 4);
  return Object.fromEntries(
    languages.map((key) => [key, random.pick(['An image', '"Quoted" & <odd>', '😀'])]),
  );
}
