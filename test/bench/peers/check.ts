import { ARTICLES, articles, DEEP_SKIP, names, PAGE } from './content.ts';
import type { Found, Product, Read } from './product.ts';

const ALL = articles();
const BY_TITLE = ALL.map(({ title }) => title).toSorted();
const OF_CATEGORY = ALL.filter(({ category }) => category === 3)
  .map(({ title }) => title)
  .toSorted();

/** Which titles an answer has, in order; undefined where any order is right. */
const TITLES: Readonly<Record<Read, readonly string[] | undefined>> = {
  hundred: undefined,
  slug: [ALL[1]!.title],
  filtered: OF_CATEGORY.slice(0, PAGE),
  deep: BY_TITLE.slice(DEEP_SKIP, DEEP_SKIP + PAGE),
};

/** The body of an answer, after a look at all that it is to hold: the items, their order, their links, the total. */
export async function checked({ name, port, reads }: Product, read: Read): Promise<Buffer> {
  const { path, found } = reads[read];
  const answer = await fetch(`http://127.0.0.1:${port}${path.replace('{n%5000}', '1')}`, {
    headers: { 'accept-encoding': 'identity' },
  });
  const body = Buffer.from(await answer.arrayBuffer());
  const wrong = (what: string) =>
    new Error(`${name}, ${path}: ${what}; the answer is ${answer.status} ${body.toString('utf8', 0, 600)}`);
  if (answer.status !== 200) throw wrong('no 200');
  const result = found(JSON.parse(body.toString()));
  const titles = result.items.map(({ title }) => title);
  const expected = TITLES[read];
  if (expected !== undefined && titles.join() !== expected.join())
    throw wrong(`'${titles.join()}' instead of '${expected.join()}'`);
  if (read === 'hundred') checkHundred(result, wrong);
  if (read === 'hundred' || read === 'slug') checkLinks(result, wrong);
  return body;
}

function checkHundred({ items, total }: Found, wrong: (what: string) => Error): void {
  const known = new Set(BY_TITLE);
  const different = new Set(items.map(({ title }) => title).filter((title) => known.has(title)));
  if (items.length !== 100 || different.size !== 100) throw wrong('not a hundred different items');
  if (total !== ARTICLES) throw wrong(`the total is ${total}`);
}

/** Each link leads to the right item, which is in the answer. */
function checkLinks({ items }: Found, wrong: (what: string) => Error): void {
  const byTitle = new Map(ALL.map((article) => [article.title, article]));
  for (const { title, author, category } of items) {
    const article = byTitle.get(title)!;
    if (author !== names('Author', article.author + 1).at(-1)) throw wrong(`author ${author} of ${title}`);
    if (category !== names('Category', article.category + 1).at(-1))
      throw wrong(`category ${category} of ${title}`);
  }
}
