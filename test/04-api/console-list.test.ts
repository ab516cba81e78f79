/** What people keep and may do in the content list: saved views, and acts within the limits of their roles. */
import { expect } from 'chai';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

interface View {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly is_shared: boolean;
  readonly owner: { readonly name: string } | null;
}

interface Act {
  readonly id: string;
  readonly done: number;
}

describe('the content list of a person', () => {
  let service: RunningService;
  let operator: ConsoleBrowser;
  let project: string;
  before(async () => {
    const limits = 'HEADWATER_PLUGINS__SESSION__LIMITS__SECOND';
    service = await startService({ sample: true, environment: { [limits]: '1000' } });
    project = service.sample!.projectId;
    ({ browser: operator } = await signInPerson(service, { name: 'Operator', isOperator: true }));
  });
  after(() => service.stop());

  const withRole = async (name: string, permissions: readonly string[], limits: object = {}) => {
    const role = { codename: name.toLowerCase(), name, permissions, limits };
    const { body } = await operator.request<{ id: string }>('POST', 'admin/roles', role);
    const projects = [{ id: project, roles: [body.id] }];
    return (await signInPerson(service, { name, projects })).browser;
  };
  const path = (rest: string) => `admin/projects/${project}/${rest}`;

  it('keeps views of its own, and shows shared ones to others, who cannot change them', async () => {
    const ada = await withRole('Ada', ['view-content']);
    const grace = await withRole('Grace', ['view-content']);
    const save = (by: ConsoleBrowser, body: object) => by.request<View>('POST', path('views'), body);
    const list = async (by: ConsoleBrowser) =>
      (await by.request<{ views: View[] }>('GET', path('views'))).body.views.map(({ name }) => name);
    const query = 'type=article&order=changed&descending=true';
    const own = await save(ada, { name: 'Own', query });
    expect(own.status).to.equal(201);
    expect(own.body).to.deep.include({ name: 'Own', query, is_shared: false });
    expect(own.body.owner).to.include({ name: 'Ada' });
    const shared = await save(ada, { name: 'Shared', query: '', is_shared: true });
    expect(await list(ada)).to.deep.equal(['Own', 'Shared']);
    expect(await list(grace)).to.deep.equal(['Shared']);
    const view = (made: typeof own) => path(`views/${made.body.id}`);
    expect((await grace.request('PATCH', view(shared), { name: 'Taken' })).status).to.equal(403);
    expect((await grace.request('DELETE', view(shared))).status).to.equal(403);
    expect((await grace.request('DELETE', view(own))).status).to.equal(404);
    expect((await ada.request<View>('PATCH', view(own), { is_shared: true })).body).to.include({
      name: 'Own',
      query,
      is_shared: true,
    });
    const replaced = { query: 'type=note' };
    expect((await ada.request<View>('PATCH', view(own), replaced)).body).to.include({
      ...replaced,
      is_shared: true,
    });
    expect(await list(grace)).to.deep.equal(['Own', 'Shared']);
    expect((await ada.request('DELETE', view(shared))).status).to.equal(204);
    expect(await list(grace)).to.deep.equal(['Own']);
    for (const wrong of [{}, { name: '', query }, { name: 'x', query: 'x'.repeat(5000) }])
      expect((await save(ada, wrong)).status).to.equal(400);
  });

  it('lets operators change and delete shared views of others, who may have left', async () => {
    const alan = await withRole('Alan', ['view-content']);
    const save = async (body: object) => {
      const { body: made } = await alan.request<View>('POST', path('views'), { query: '', ...body });
      return path(`views/${made.id}`);
    };
    const [shared, own] = [await save({ name: 'Left', is_shared: true }), await save({ name: 'Private' })];
    const { body } = await operator.request<{ views: (View & { allowed: string[] })[] }>(
      'GET',
      path('views'),
    );
    const listed = body.views.map(({ name, allowed }) => [name, allowed]);
    expect(listed).to.deep.include(['Left', ['change', 'remove']]);
    expect((await operator.request<View>('PATCH', shared, { name: 'Kept' })).body).to.include({
      name: 'Kept',
    });
    expect((await operator.request('DELETE', shared)).status).to.equal(204);
    for (const method of ['PATCH', 'DELETE'])
      expect((await operator.request(method, own, method === 'PATCH' ? {} : undefined)).status).to.equal(404);
  });

  it('lists and finds in the first language that the person may view, where the call names none', async () => {
    const limits = { 'view-content': { types: ['trail'], languages: ['de'] } };
    const person = await withRole('German', ['view-content'], limits);
    const { body } = await person.request<{
      total: number;
      items: { variants: { language: { codename: string } }[] }[];
    }>('GET', path('content'));
    expect(body.total).to.be.greaterThan(0);
    expect(body.items.map(({ variants }) => variants[0]?.language.codename)).to.deep.equal(
      body.items.map(() => 'de'),
    );
    const find = path('find?kind=item');
    expect((await person.request('GET', find)).body).to.deep.equal(
      (await person.request('GET', `${find}&language=de`)).body,
    );
  });

  it('lets a person act within the limits of its roles, on all or none', async () => {
    const { body } = await operator.request<{
      items: { id: string; type: { codename: string } }[];
    }>('GET', path('content?state=published&limit=100'));
    const [type] = body.items.map((item) => item.type.codename);
    const own = body.items.filter((item) => item.type.codename === type);
    const others = body.items.filter((item) => item.type.codename !== type);
    expect(others).not.to.deep.equal([]);
    const language = 'en';
    const limits = { publish: { types: [type], languages: [language] } };
    const person = await withRole('Limited', ['view-content', 'publish'], limits);
    const objects = (items: typeof own) => ({ objects: items.map(({ id }) => ({ item: id, language })) });
    const act = (by: ConsoleBrowser, given: object, plan = '') =>
      by.request<Act>('POST', path(`acts/unpublish${plan}`), given);
    const undo = (by: ConsoleBrowser, { id }: Act) => by.request<Act>('DELETE', path(`acts/unpublish/${id}`));
    const mixed = objects([...own, ...others]);
    for (const plan of ['', '?plan=true']) expect((await act(person, mixed, plan)).status).to.equal(403);
    expect((await act(person, { filter: 'state=published' })).status).to.equal(403);
    const done = await act(person, objects(own));
    expect([done.status, done.body.done]).to.deep.equal([201, own.length]);
    // What the person did before its role got other limits.
    const { body: listed } = await operator.request<{ roles: { id: string; codename: string }[] }>(
      'GET',
      'admin/roles',
    );
    const role = `admin/roles/${listed.roles.find(({ codename }) => codename === 'limited')!.id}`;
    for (const publish of [
      { types: [type], languages: ['de'] },
      { types: ['other'], languages: null },
    ]) {
      expect((await operator.request('PATCH', role, { limits: { publish } })).status).to.equal(200);
      expect((await undo(person, done.body)).status).to.equal(403);
    }
    expect((await operator.request('PATCH', role, { limits })).status).to.equal(200);
    expect((await undo(person, done.body)).body.done).to.equal(0);
    // What someone else did may reach further than the own roles.
    const far = await act(operator, mixed);
    expect((await undo(person, far.body)).status).to.equal(403);
    expect((await undo(operator, far.body)).status).to.equal(200);
  });
});
