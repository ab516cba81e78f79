/** Element values for a type: every kind, empties, never written ones, components inside components. */
import type { Block, Inline, OracleComponent, OracleValue, OracleValues } from '../oracle/content.ts';
import { type Draft, flatTerms, type ValueStep, valueElements } from './content-draft.ts';
import type { Random } from './random.ts';
import type { TypeStep } from './steps.ts';
import { dateTime, inlineText, number, slug, text } from './texts.ts';

/** @param share of the elements that get a value at all */
export function randomValues(
  draft: Draft,
  random: Random,
  type: TypeStep,
  share: number,
  level = 1,
): OracleValues {
  const written = valueElements(draft, type).filter(
    // A slug that was never written is made from the text it depends on; that is not delivery's business.
    ({ element }) => element.kind === 'url_slug' || random.chance(share),
  );
  return Object.fromEntries(
    written.map(({ element }) => [element.key, randomValue(draft, random, element, level)]),
  );
}

function randomValue(draft: Draft, random: Random, element: ValueStep, level: number): OracleValue {
  const empty = random.chance(0.12);
  switch (element.kind) {
    case 'text':
      return empty ? null : text(random);
    case 'custom':
      return empty ? null : text(random);
    case 'url_slug':
      return slug(random);
    case 'number':
      return empty ? null : number(random);
    case 'date_time':
      return empty ? null : dateTime(random);
    case 'multiple_choice': {
      const most = element.mode === 'single' ? 1 : 4;
      return random.some(
        element.options!.map((option) => option.key),
        most,
      );
    }
    case 'taxonomy': {
      const terms = flatTerms(draft.taxonomies.get(element.group!)!.terms);
      return random.some(
        terms.map((term) => term.key),
        4,
      );
    }
    case 'asset':
      return random.some([...draft.assets.keys()], 3);
    case 'modular_content':
      return random.some([...draft.items.keys()], 4);
    case 'rich_text':
      return { blocks: empty ? [] : random.times(1, 5, () => block(draft, random, level)) };
  }
}

function block(draft: Draft, random: Random, level: number): Block {
  const items = [...draft.items.keys()];
  const choice = random.int(0, 9);
  if (choice === 0) return { block: 'figure', asset: random.pick([...draft.assets.keys()]) };
  if (choice <= 2 && items.length > 0) return { block: 'item', item: random.pick(items) };
  if (choice <= 4 && level <= 3) return { block: 'component', component: component(draft, random, level) };
  if (choice === 5) {
    const entries = random.times(1, 3, () => inlines(draft, random));
    return { block: random.pick(['ul', 'ol']), entries };
  }
  return { block: random.pick(['p', 'p', 'h1', 'h2', 'h3', 'h4']), inlines: inlines(draft, random) };
}

function component(draft: Draft, random: Random, level: number): OracleComponent {
  const type = random.pick([...draft.types.values()]);
  return { id: random.guid(), type: type.key, values: randomValues(draft, random, type, 0.7, level + 1) };
}

function inlines(draft: Draft, random: Random): Inline[] {
  return random.times(1, 3, (): Inline => {
    const items = [...draft.items.keys()];
    const words = inlineText(random);
    if (random.chance(0.2) && items.length > 0) return { linkTo: random.pick(items), text: words };
    if (random.chance(0.1)) return { href: 'https://example.org/?a=1&b=2', text: words };
    return random.chance(0.3)
      ? { text: words, mark: random.pick(['strong', 'em', 'code']) }
      : { text: words };
  });
}
