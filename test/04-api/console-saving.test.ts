/** What the item editor saves: versions of a sitting, and drafts that are discarded. */
import { expect } from 'chai';
import type { ConsoleAnswer, ConsoleBrowser } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { NotesService } from '../support/projects/notes-service.ts';

interface Variant {
  readonly elements: readonly { readonly element: { readonly id: string }; readonly value: unknown }[];
  readonly last_modified: string;
}

interface DiscardPlan {
  readonly plan: boolean;
  readonly elements: readonly { readonly codename: string }[];
  readonly user: { readonly name: string } | null;
  readonly scheduled_to: string | null;
  readonly version: number;
}

const FAR = '2999-01-01T00:00:00Z';

describe('saving in the item editor', () => {
  let notes: NotesService;
  let ada: ConsoleBrowser;
  let grace: ConsoleBrowser;
  let account: string;
  before(async () => {
    const limits = 'HEADWATER_PLUGINS__SESSION__LIMITS__SECOND';
    notes = await NotesService.start({ environment: { [limits]: '1000' } });
    ({ browser: ada, account } = await signInPerson(notes.service, { name: 'Ada', isOperator: true }));
    ({ browser: grace } = await signInPerson(notes.service, { name: 'Grace', isOperator: true }));
  });
  after(() => notes.stop());

  const path = (item: string) => `manage/projects/${notes.project}/items/${item}/variants/codename/en`;
  const elements = (value: string) => ({ elements: [{ element: { codename: 'text' }, value }] });
  const save = async (by: ConsoleBrowser, item: string, value: string) => {
    const answer = await by.request<Variant>('PUT', path(item), elements(value));
    expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([200, 201]);
    return answer;
  };
  const query = <Row>(text: string, parameters: readonly string[]) =>
    notes.run(({ tx }) => tx.all<Row & Record<string, string | number | null>>(text, parameters));
  /** Texts of the versions of an item, oldest first. */
  const versions = async (item: string) =>
    (
      await query<{ elements: string }>(
        `SELECT n.elements AS elements FROM version n JOIN variant v ON v.number = n.variant JOIN item i ON i.number = v.item
         WHERE i.id = ? ORDER BY n.sequence, n.number`,
        [item],
      )
    ).map(({ elements: text }) => (JSON.parse(text) as Record<string, string>)[textElement]);
  let textElement = '';
  const newItem = async (name: string) => {
    const { body } = await ada.request<{ id: string }>('POST', `manage/projects/${notes.project}/items`, {
      name,
      type: { codename: 'note' },
      sitemap_locations: [],
    });
    const saved = await save(ada, body.id, 'one');
    textElement = saved.body.elements[0]?.element.id ?? '';
    return body.id;
  };

  it('makes one version of what a person saves in one sitting, and logs every save', async () => {
    const item = await newItem('Sitting');
    const answers: ConsoleAnswer<Variant>[] = [];
    for (const value of ['two', 'three', 'four']) answers.push(await save(ada, item, value));
    expect(await versions(item)).to.deep.equal(['four']);
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).to.equal(3);
    expect(new Set(answers.map(({ body }) => body.last_modified)).size).to.equal(3);
    const changes = await query<{ operation: string }>(
      `SELECT operation FROM change WHERE object LIKE ? AND actor = ? ORDER BY sequence`,
      [`${item}/%`, account],
    );
    expect(changes.map(({ operation }) => operation)).to.deep.equal(['create', 'upsert', 'upsert', 'upsert']);
    const read = await ada.request<Variant>('GET', path(item));
    expect(read.body.elements[0]?.value).to.equal('four');
  });

  it('keeps a version once another person, a key, a step of the workflow or ten minutes come between', async () => {
    const item = await newItem('Kept');
    await save(grace, item, 'by Grace');
    await save(ada, item, 'two');
    expect(await versions(item)).to.deep.equal(['one', 'by Grace', 'two']);
    for (const value of ['key', 'key again'])
      expect(await notes.manage('PUT', `items/${item}/variants/codename/en`, elements(value))).to.equal(200);
    await save(ada, item, 'three');
    expect(await versions(item)).to.deep.equal(['one', 'by Grace', 'two', 'key', 'key again', 'three']);
    expect((await ada.request('PUT', `${path(item)}/publish`)).status).to.equal(204);
    expect((await ada.request('PUT', `${path(item)}/new-version`)).status).to.equal(204);
    await save(ada, item, 'four');
    await save(ada, item, 'five');
    expect((await versions(item)).slice(5)).to.deep.equal(['three', 'five']);
    expect((await ada.request('PUT', `${path(item)}/publish`, { scheduled_to: FAR })).status).to.equal(204);
    await save(ada, item, 'six');
    expect((await versions(item)).slice(5)).to.deep.equal(['three', 'five', 'six']);
    const long = new Date(Date.now() - 601_000).toISOString().replace('Z', '0000Z');
    await notes.run(({ tx }) => tx.run('UPDATE version SET sitting = ? WHERE sitting IS NOT NULL', [long]));
    await save(ada, item, 'seven');
    expect((await versions(item)).slice(5)).to.deep.equal(['three', 'five', 'six', 'seven']);
  });

  it('refuses a save of what another save has replaced', async () => {
    const item = await newItem('Conditional');
    const { headers } = await save(ada, item, 'two');
    const condition = { 'if-match': headers.get('etag') ?? '' };
    const answers = await Promise.all(
      ['three', 'four'].map((value) => ada.request('PUT', path(item), elements(value), condition)),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
    expect(await versions(item)).to.have.length(1);
  });

  const discard = (by: ConsoleBrowser, item: string, more = '') =>
    by.request<DiscardPlan>(
      'POST',
      `admin/projects/${notes.project}/items/${item}/variants/${language}/discard-draft${more}`,
    );
  let language = '';

  it('discards the draft of a published variant after a plan, and keeps its version', async () => {
    const { body } = await ada.request<{ languages: { id: string; codename: string }[] }>(
      'GET',
      `manage/projects/${notes.project}/languages`,
    );
    language = body.languages.find(({ codename }) => codename === 'en')?.id ?? '';
    const item = await newItem('Discarded');
    const refused = await discard(ada, item);
    expect(refused.status, 'nothing would remain').to.equal(400);
    expect((await ada.request('PUT', `${path(item)}/publish`)).status).to.equal(204);
    expect((await discard(ada, item)).status, 'there is no draft').to.equal(400);
    const published = await ada.request<Variant>('GET', path(item));
    await ada.request('PUT', `${path(item)}/new-version`);
    expect((await discard(ada, item, '?plan=true')).body.elements).to.deep.equal([]);
    await save(ada, item, 'lost');
    await ada.request('PUT', `${path(item)}/publish`, { scheduled_to: FAR });
    const plan = await discard(ada, item, '?plan=true');
    expect(plan.status).to.equal(200);
    expect(plan.body).to.deep.include({ plan: true, scheduled_to: '2999-01-01T00:00:00.0000000Z' });
    expect(plan.body.elements.map(({ codename }) => codename)).to.deep.equal(['text']);
    expect(plan.body.user).to.include({ name: 'Ada' });
    expect((await ada.request<Variant>('GET', path(item))).body.elements[0]?.value).to.equal('lost');
    await save(ada, item, 'lost after the plan');
    const late = await discard(ada, item, `?version=${plan.body.version}`);
    expect(late.status, 'not what the plan showed').to.equal(409);
    await save(ada, item, 'lost');
    const now = await discard(ada, item, '?plan=true');
    const done = await discard(ada, item, `?version=${now.body.version}`);
    expect(done.body).to.deep.equal({ ...now.body, plan: false });
    const after = await ada.request<Variant & { workflow_step: object }>('GET', path(item));
    expect(after.body.elements).to.deep.equal(published.body.elements);
    expect(await versions(item)).to.deep.equal(['one', 'lost', 'lost']);
    const { body: states } = await ada.request<{ languages: { state: string; scheduled_to: null }[] }>(
      'GET',
      `admin/projects/${notes.project}/items/${item}`,
    );
    expect(states.languages[0]).to.deep.include({ state: 'published', scheduled_to: null });
    expect(await notes.published()).to.include('discarded');
    expect((await discard(ada, item)).status, 'a second time').to.equal(400);
  });

  it('discards nothing for a person who may not edit', async () => {
    const item = await newItem('Changed');
    await ada.request('PUT', `${path(item)}/publish`);
    await ada.request('PUT', `${path(item)}/new-version`);
    await save(ada, item, 'two');
    const role = await ada.request<{ id: string }>('POST', 'admin/roles', {
      codename: 'reader_only',
      name: 'Reader only',
      permissions: ['view-content'],
    });
    const projects = [{ id: notes.project, roles: [role.body.id] }];
    const { browser: reader } = await signInPerson(notes.service, { name: 'Reader', projects });
    expect((await discard(reader, item)).status).to.equal(403);
    expect((await ada.request<Variant>('GET', path(item))).body.elements[0]?.value).to.equal('two');
  });
});
