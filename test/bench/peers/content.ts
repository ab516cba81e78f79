/** The items that every product holds: each has seven elements, two of them links. */
export const ARTICLES = 5000;
export const AUTHORS = 2;
export const CATEGORIES = 5;
/** The deep page: the last but ten pages of 25. */
export const PAGE = 25;
export const DEEP_SKIP = 4725;

export interface Article {
  readonly title: string;
  readonly slug: string;
  readonly summary: string;
  /** HTML, about 1.9 kB. */
  readonly body: string;
  readonly rank: number;
  /** Numbers of the linked items, from 0. */
  readonly author: number;
  readonly category: number;
}

/** A form of 50 elements: so many texts, and a rich text of these paragraphs. */
export const FORM_TEXTS = 49;
export const formText = (index: number) => `Text ${index}, typed before.`;

const SENTENCE = 'Ships wait in the harbour until the tide is high enough for the narrow channel.';

export function article(number: number): Article {
  return {
    // Spread over the alphabet, so that the order of titles is not the order of creation.
    title: `Title ${String((number * 1777) % ARTICLES).padStart(4, '0')} of the harbour`,
    slug: `article-${number}`,
    summary: `What article ${number} says, in a sentence of some length. ${SENTENCE}`,
    body: `<h2>Article ${number}</h2>${`<p>${SENTENCE} ${SENTENCE}</p>`.repeat(11)}`,
    rank: number % 100,
    author: number % AUTHORS,
    category: number % CATEGORIES,
  };
}

export const articles = (): Article[] => Array.from({ length: ARTICLES }, (_, number) => article(number));

export const names = (kind: 'Author' | 'Category', count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${kind} ${number}`);

/** Calls `work` for all, eight at a time. */
export async function eightAtOnce<One>(
  all: readonly One[],
  work: (one: One) => Promise<unknown>,
): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const one of left) await work(one);
    }),
  );
}

export const FORM_BLOCKS: readonly string[] = Array.from(
  { length: 10 },
  (_, number) => `Paragraph ${number}. ${SENTENCE}`,
);
