/** Lists of content: filters, orders, positions, columns. */
import { expect } from 'chai';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { NotesService } from '../support/notes-service.ts';

interface Listed {
  readonly codename: string;
  readonly variants: readonly {
    readonly language: { readonly codename: string };
    readonly state: string;
    readonly elements: Readonly<Record<string, { readonly value: unknown; readonly length: number }>>;
  }[];
}
interface List {
  readonly items: readonly Listed[];
  readonly total: number;
}

describe('admin API: the list of content', () => {
  let notes: NotesService;

  before(async () => {
    notes = await NotesService.start();
    for (const name of ['Delta', 'alpha', 'Charlie', 'bravo']) await notes.note(name);
    await notes.run(async (transaction) => {
      await publishVariant(transaction, { codename: 'alpha' }, { codename: 'en' });
      await upsertVariant(
        transaction,
        { codename: 'delta' },
        { codename: 'de' },
        {
          elements: [
            { element: { codename: 'text' }, value: 'x'.repeat(300) },
            { element: { codename: 'links' }, value: [{ codename: 'alpha' }] },
          ],
        },
      );
    });
  });
  after(() => notes.stop());

  const list = async (query: string) => (await notes.admin<List>('GET', `content?${query}`)).body;
  const codenames = ({ items }: List) => items.map(({ codename }) => codename);

  const lists: readonly [string, readonly string[], number][] = [
    ['', ['alpha', 'bravo', 'charlie', 'delta'], 4],
    ['descending=true&limit=2&offset=1', ['charlie', 'bravo'], 4],
    ['state=published', ['alpha'], 1],
    ['state=published,draft&order=state', ['bravo', 'charlie', 'delta', 'alpha'], 4],
    ['language=de&state=not_translated', ['alpha', 'bravo', 'charlie'], 3],
    ['type=note&order=elements.text', ['charlie', 'delta', 'alpha', 'bravo'], 4],
  ];
  for (const [query, wanted, total] of lists)
    it(`answers '${query}'`, async () => {
      const answer = await list(query);
      expect(codenames(answer)).to.deep.equal(wanted);
      expect(answer.total).to.equal(total);
    });

  it('shows two languages and the values of elements, shortened', async () => {
    const { items } = await list('language=de&beside=en&state=draft&elements=text,links');
    expect(items[0]?.variants).to.have.length(2);
    const [german, english] = items[0]?.variants ?? [];
    expect(german?.elements).to.deep.equal({
      text: { type: 'text', value: 'x'.repeat(160), length: 300 },
      links: { type: 'modular_content', value: ['alpha'], length: 1 },
    });
    expect(english?.elements['text']).to.deep.equal({ type: 'text', value: 'Delta', length: 5 });
  });
});
