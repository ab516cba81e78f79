import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const APP = new URL('../../plugins/console/app/', import.meta.url);
const MESSAGES = new URL('messages/', APP);
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;

type Texts = { readonly [key: string]: Text };
type Text = string | ((...values: unknown[]) => string) | readonly Text[] | Texts;

/** What the text at each path is: a word for its kind, for a function with the number of its values. */
function kinds(texts: Text, path = ''): string[] {
  if (typeof texts === 'string') return [`${path}: ${texts.trim() === '' ? 'empty' : 'text'}`];
  if (typeof texts === 'function') return [`${path}: text of ${texts.length} values`];
  return Object.entries(texts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([key, text]) => kinds(text, `${path}.${key}`));
}

describe('the texts of the console', () => {
  const files = readdirSync(MESSAGES);
  /** Names of files are `<area>-<language>.ts`; what every screen may show is in `<language>.ts`. */
  const inLanguage = (language: string) =>
    files.flatMap(
      (file) =>
        new RegExp(`^(?:(.+)-)?${language}\\.ts$`).exec(file)?.[1] ?? (file === `${language}.ts` ? '' : []),
    );
  const areas = inLanguage('en');
  const textsOf = async (area: string, language: string): Promise<Text> => {
    const file = area === '' ? `${language}.ts` : `${area}-${language}.ts`;
    const exported = (await import(new URL(file, MESSAGES).href)) as Readonly<Record<string, Text>>;
    expect(Object.keys(exported), file).to.have.length(1);
    return Object.values(exported)[0]!;
  };

  it('exist in English and German', () => {
    expect(areas).to.have.length.greaterThan(10);
    expect(inLanguage('de')).to.deep.equal(areas);
  });

  for (const area of areas)
    it(`have the same keys, and functions of the same values, in both languages: ${area || 'all screens'}`, async () => {
      const [english, german] = await Promise.all(['en', 'de'].map((language) => textsOf(area, language)));
      expect(kinds(german!)).to.deep.equal(kinds(english!));
      expect(kinds(english!).filter((kind) => kind.endsWith(': empty'))).to.deep.equal([]);
    });

  const sources = readdirSync(APP, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  /** Files that have it outside comments. */
  const containing = (pattern: RegExp) =>
    sources
      .filter((file) => pattern.test(readFileSync(new URL(file, APP), 'utf8').replace(COMMENTS, '')))
      .sort();

  it('are nowhere else: no other file chooses between languages', () => {
    expect(containing(/=== 'de'/)).to.deep.equal(['early.ts', 'messages/messages.ts']);
  });

  it('have the quotation marks of their language: no other file has any', () => {
    const others = containing(/[“”„]/).filter((file) => !/^(?:messages|server-words)\//.test(file));
    expect(others).to.deep.equal(['rich-text/paste/entities.ts']);
  });
});
