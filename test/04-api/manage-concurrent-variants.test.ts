import { expect } from 'chai';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';

interface VariantJson {
  readonly elements: readonly { readonly value: unknown }[];
  readonly last_modified: string;
}

const WRITERS = 24;

describe('management v2: variants that many write at once', () => {
  let service: ManageService;
  const random = new Random(testSeed());

  const variant = (item: string, language = 'en-US') =>
    `/items/codename/${item}/variants/codename/${language}`;
  const put = (item: string, title: unknown, more: object[] = []) =>
    service.v2.put<VariantJson & ManageError>(variant(item), {
      elements: [{ element: { codename: 'title' }, value: title }, ...more],
    });
  const titleOf = async (item: string) =>
    (await service.v2.get<VariantJson>(variant(item))).body.elements[0]?.value;

  async function articles(prefix: string, count = WRITERS): Promise<string[]> {
    const names = Array.from({ length: count }, (_, index) => `${prefix}_${index}`);
    for (const name of names)
      await service.v2.post('/items', { name, codename: name, type: { codename: 'article' } });
    return names;
  }

  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  it('all have what was sent, created with 201 and changed with 200', async () => {
    const items = await articles('all');
    for (const status of [201, 200]) {
      const answers = await Promise.all(items.map((item) => put(item, `${item} ${status}`)));
      expect(answers.map((answer) => answer.status)).to.deep.equal(items.map(() => status));
      for (const [index, item] of items.entries()) {
        expect(answers[index]?.body.elements[0]?.value).to.equal(`${item} ${status}`);
        expect(await titleOf(item)).to.equal(`${item} ${status}`);
      }
    }
  });

  it('are refused alone, with the path in their own body, and write nothing', async () => {
    const items = await articles('refused');
    await Promise.all(items.map((item) => put(item, 'before')));
    const isWrong = items.map(() => random.chance(0.3));
    const wrong = [{ element: { codename: 'price' }, value: 'no number' }];
    const answers = await Promise.all(
      items.map((item, index) => put(item, 'after', isWrong[index] ? wrong : [])),
    );
    for (const [index, { status, body }] of answers.entries()) {
      expect(status).to.equal(isWrong[index] ? 400 : 200);
      if (isWrong[index]) expect(body.validation_errors?.[0]?.path).to.equal('elements[1].value');
      expect(await titleOf(items[index]!)).to.equal(isWrong[index] ? 'before' : 'after');
    }
  });

  it('of one item are all written, one of them with 201, and one stays', async () => {
    const [item] = (await articles('same', 1)) as [string];
    const titles = Array.from({ length: WRITERS }, (_, index) => `title ${index}`);
    const answers = await Promise.all(titles.map((title) => put(item, title)));
    expect(answers.filter(({ status }) => status === 201)).to.have.lengthOf(1);
    expect(answers.map(({ body }) => body.elements[0]?.value)).to.deep.equal(titles);
    expect(titles).to.include(await titleOf(item));
  });

  it('refer to each other, whichever comes first', async () => {
    const items = await articles('linked');
    const link = (to: string) => [{ element: { codename: 'related' }, value: [{ codename: to }] }];
    const next = (index: number) => items[(index + 1) % items.length]!;
    const answers = await Promise.all(items.map((item, index) => put(item, item, link(next(index)))));
    expect(answers.map(({ status }) => status)).to.deep.equal(items.map(() => 201));
  });

  it('that do not exist are 404 for their writer alone', async () => {
    const items = await articles('missing');
    const answers = await Promise.all(
      items.flatMap((item) => [put(item, 'there'), put(`no_${item}`, 'not')]),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(items.flatMap(() => [201, 404]));
  });
});
