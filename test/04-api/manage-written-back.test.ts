/** Spec 2.7: what clients read can be sent back, and parts of the model that name missing objects can be changed. */
import { expect } from 'chai';
import { createApiClient } from '../support/clients/api-client.ts';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

interface ElementJson {
  readonly element: { readonly id: string };
  readonly value: unknown;
}
interface VariantJson {
  readonly elements: readonly ElementJson[];
  readonly item: { readonly id: string };
  readonly last_modified: string;
}
interface TypeJson {
  readonly id: string;
  readonly codename: string;
  readonly elements: readonly {
    readonly id: string;
    readonly codename: string;
    readonly type: string;
    readonly allowed_content_types?: readonly { readonly id: string }[];
    readonly allowed_elements?: readonly { readonly id: string }[];
    readonly depends_on?: unknown;
  }[];
}

interface Issues {
  readonly issues: readonly { readonly messages: readonly string[] }[];
}
interface ReportJson {
  readonly variant_issues: readonly (Issues & { readonly item: { readonly id: string } })[];
  readonly type_issues: readonly (Issues & { readonly type: { readonly id: string } })[];
}

const COMPONENT = '3f0c6f51-2a8e-4d0e-9f47-6a1b0d4c2e11';
const OBJECT = `<object type="application/service" data-type="component" data-id="${COMPONENT}"></object>`;

describe('management: what was read is written back', () => {
  let service: ManageService;

  const variant = (item: string) => `/items/external-id/${item}/variants/codename/en-US`;
  const text = (codename: string) => ({ type: 'text', name: codename, external_id: codename });

  async function made(path: string, body: unknown): Promise<TypeJson> {
    const answer = await service.v2.post<TypeJson>(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  }

  async function patched(path: string, ...operations: readonly object[]): Promise<TypeJson> {
    const answer = await service.v2.patch<TypeJson>(path, operations);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  }

  async function written(item: string, type: string, elements: readonly object[]): Promise<VariantJson> {
    await service.v2.put(`/items/external-id/${item}`, { name: item, type: { codename: type } });
    const answer = await service.v2.put<VariantJson>(variant(item), { elements });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  }

  /** Sends back what both versions answer; nothing changes. */
  async function expectUnchanged(item: string): Promise<void> {
    for (const client of [service.v2, service.v1]) {
      const { body } = await client.get<VariantJson>(variant(item));
      const answer = await client.put<VariantJson>(variant(item), body);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.deep.equal(body);
    }
  }

  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  it('a component with a term that does not exist yet', async () => {
    await made('/types', {
      name: 'Box',
      elements: [{ type: 'taxonomy', name: 'Topics', taxonomy_group: { codename: 'topics' } }],
    });
    await made('/types', { name: 'Page', elements: [{ type: 'rich_text', name: 'Body' }] });
    const elements = [{ element: { codename: 'topics' }, value: [{ external_id: 'not-yet' }] }];
    const body = { value: OBJECT, components: [{ id: COMPONENT, type: { codename: 'box' }, elements }] };
    await written('page', 'page', [{ element: { codename: 'body' }, ...body }]);
    await expectUnchanged('page');
  });

  it('a published text that an earlier release stored in another form', async () => {
    await made('/types', { name: 'Old', elements: [{ type: 'rich_text', name: 'Body' }] });
    await written('old', 'old', [{ element: { codename: 'body' }, value: '<p>aFILLERb</p>' }]);
    expect((await service.v2.put(`${variant('old')}/publish`)).status).to.equal(204);
    await service.service.core.operations.storage.write((tx) =>
      tx.run(`UPDATE version SET elements = replace(elements, 'FILLER', ?) WHERE elements LIKE '%FILLER%'`, [
        '\\r',
      ]),
    );
    await expectUnchanged('old');
  });

  it('a component whose type was deleted while the item was', async () => {
    const passing = await made('/types', { name: 'Passing', elements: [text('note')] });
    const body = {
      value: OBJECT,
      components: [{ id: COMPONENT, type: { codename: 'passing' }, elements: [] }],
    };
    const { item } = await written('restored', 'page', [{ element: { codename: 'body' }, ...body }]);
    expect((await service.v2.delete('/items/external-id/restored')).status).to.equal(204);
    expect((await service.v2.delete('/types/codename/passing')).status).to.equal(204);
    const admin = createApiClient(`${service.service.url}/admin/projects/${service.project.id}`, {
      surface: 'admin',
      headers: { authorization: `Bearer ${service.service.adminToken}` },
    });
    expect((await admin.request('POST', `/items/${item.id}/restore`)).status).to.equal(204);
    await expectUnchanged('restored');
    const { variant_issues } = (await service.v2.post<ReportJson>('/validate')).body;
    const issues = variant_issues.find((one) => one.item.id === item.id)?.issues;
    expect(issues?.flatMap(({ messages }) => messages)).to.deep.equal([
      `The content type '${passing.id}' does not exist.`,
    ]);
  });

  it('two options of an element that takes only one since, but no other two', async () => {
    const options = ['One', 'Two', 'Three'].map((name) => ({ name }));
    await made('/types', {
      name: 'Choosing',
      elements: [{ type: 'multiple_choice', mode: 'multiple', name: 'Choice', options }],
    });
    const chosen = (...codenames: readonly string[]) => [
      { element: { codename: 'choice' }, value: codenames.map((codename) => ({ codename })) },
    ];
    await written('chosen', 'choosing', chosen('one', 'two'));
    await patched('/types/codename/choosing', {
      op: 'replace',
      path: '/elements/codename:choice/mode',
      value: 'single',
    });
    await expectUnchanged('chosen');
    const other = await service.v2.put<ManageError>(variant('chosen'), { elements: chosen('one', 'three') });
    expect([other.status, other.body.validation_errors![0]!.message]).to.deep.equal([
      400,
      "The element 'choice': Only one option can be chosen.",
    ]);
  });

  it('a rich text that is longer in the form clients read than in the one they wrote', async () => {
    const value = `<p>${'& '.repeat(40_000)}</p>`;
    const { elements } = await written('long', 'page', [{ element: { codename: 'body' }, value }]);
    const shown = elements[0]!.value as string;
    expect(shown.length).to.be.above(200_000);
    await expectUnchanged('long');
    const longer = { element: { codename: 'body' }, value: shown.replace('</p>', 'more</p>') };
    const answer = await service.v2.put<ManageError>(variant('long'), { elements: [longer] });
    expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
  });

  it('a type that allows one that does not exist yet is changed, and that one removed from it', async () => {
    const allowed = ['coming', 'later'].map((external_id) => ({ external_id }));
    const elements = [{ type: 'modular_content', name: 'Related', allowed_content_types: allowed }];
    const before = await made('/types', { name: 'Hoping', external_id: 'hoping', elements });
    const renamed = await patched('/types/codename/hoping', {
      op: 'replace',
      path: '/name',
      value: 'Hopeful',
    });
    expect(renamed.elements).to.deep.equal(before.elements);
    const list = '/elements/codename:related/allowed_content_types';
    const missing = [{ op: 'remove', path: `${list}/codename:coming` }];
    expect((await service.v2.patch('/types/external-id/hoping', missing)).status).to.equal(400);
    const left = await patched('/types/external-id/hoping', {
      op: 'remove',
      path: `${list}/external_id:coming`,
    });
    expect(left.elements[0]!.allowed_content_types).to.deep.equal([
      before.elements[0]!.allowed_content_types![1],
    ]);
  });

  it('a type is changed after a snippet lost elements that its own refer to', async () => {
    const head = await made('/snippets', { name: 'Head', elements: [text('head_title'), text('head_note')] });
    const snippet = { codename: 'head' };
    const before = await made('/types', {
      name: 'Following',
      elements: [
        { type: 'snippet', snippet },
        { ...text('own') },
        { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'head_title' }, snippet } },
        {
          type: 'custom',
          name: 'Widget',
          source_url: 'https://example.com',
          allowed_elements: [{ codename: 'head_note' }, { codename: 'own' }],
        },
      ],
    });
    const elements = [{ element: { codename: 'head__head_title' }, value: 'A Title' }];
    const body = {
      value: OBJECT,
      components: [{ id: COMPONENT, type: { codename: 'following' }, elements }],
    };
    await written('titled', 'page', [{ element: { codename: 'body' }, ...body }]);
    await patched('/snippets/codename/head', { op: 'remove', path: '/elements/codename:head_title' });
    await expectUnchanged('titled');
    await patched('/snippets/codename/head', { op: 'remove', path: '/elements/codename:head_note' });
    const rename = { op: 'replace', path: '/elements/codename:own/name', value: 'Mine' };
    const after = await patched('/types/codename/following', rename);
    for (const at of [2, 3]) expect(after.elements[at]).to.deep.equal(before.elements[at]);
    const { type_issues } = (await service.v2.post<ReportJson>('/validate')).body;
    const found = type_issues.find(({ type }) => type.id === after.id)?.issues;
    const ids = head.elements.map(({ id }) => id);
    expect(found?.flatMap(({ messages }) => messages)).to.deep.equal(
      ids.map((id) => `The element '${id}' does not exist.`),
    );
    const remove = { op: 'remove', path: '/elements/codename:mine' };
    const refused = await service.v2.patch<ManageError>('/types/codename/following', [remove]);
    expect(refused.body.validation_errors!.map(({ message }) => message)).to.deep.equal([
      `Invalid operation with index '0': The type has no element with the id '${before.elements[1]!.id}'.`,
    ]);
  });

  it('a slug into another item, where a snippet has lost the text that it follows', async () => {
    await made('/snippets', { name: 'Top', elements: [text('top_title'), text('top_note')] });
    const snippet = { codename: 'top' };
    await made('/types', {
      name: 'Copied',
      elements: [
        { type: 'snippet', snippet },
        { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'top_title' }, snippet } },
      ],
    });
    const title = { element: { codename: 'top__top_title' }, value: 'A Title' };
    await written('first', 'copied', [title]);
    await patched('/snippets/codename/top', { op: 'remove', path: '/elements/codename:top_title' });
    const { elements } = (await service.v2.get<VariantJson>(variant('first'))).body;
    expect(elements.at(-1)).to.deep.include({ value: 'a-title', mode: 'autogenerated' });
    expect((await written('second', 'copied', elements)).elements).to.deep.equal(elements);
  });

  it('an element with the external id of a removed one of another type does not get its values', async () => {
    await made('/types', { name: 'Turning', elements: [text('turned'), text('kept')] });
    const element = (codename: string) => ({ element: { codename }, value: `${codename} text` });
    await written('turned', 'turning', [element('turned'), element('kept')]);
    for (const codename of ['turned', 'kept'])
      await patched('/types/codename/turning', { op: 'remove', path: `/elements/codename:${codename}` });
    await patched(
      '/types/codename/turning',
      { op: 'addInto', path: '/elements', value: { type: 'number', name: 'turned', external_id: 'turned' } },
      { op: 'addInto', path: '/elements', value: text('kept') },
    );
    const { body } = await service.v2.get<VariantJson>(variant('turned'));
    expect(body.elements.map(({ value }) => value)).to.deep.equal([null, 'kept text']);
    await expectUnchanged('turned');
    expect((await service.v2.post('/validate')).status).to.equal(200);
  });
});
