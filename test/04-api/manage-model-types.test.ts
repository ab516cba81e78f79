/** Spec 2.9, 4.3; types and snippets of management version 2 with every kind of element, changed by operations. */
import { expect } from 'chai';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

interface ElementJson {
  readonly id: string;
  readonly codename: string;
  readonly type: string;
  readonly [property: string]: unknown;
}
interface TypeJson {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
  readonly last_modified: string;
  readonly content_groups: readonly {
    readonly id: string;
    readonly name: string;
    readonly codename: string;
  }[];
  readonly elements: readonly ElementJson[];
}
type SnippetJson = Omit<TypeJson, 'content_groups'>;
interface Page {
  readonly types: readonly TypeJson[];
  readonly pagination: { readonly continuation_token: string | null; readonly next_page: string | null };
}

const EVERY_KIND = [
  { type: 'guidelines', guidelines: '<p>How to</p>', codename: 'how_to' },
  {
    type: 'text',
    name: 'Title',
    external_id: 'title',
    is_required: true,
    maximum_text_length: { value: 60, applies_to: 'characters' },
    content_group: { external_id: 'copy' },
  },
  {
    type: 'rich_text',
    name: 'Body',
    allowed_content_types: [{ codename: 'note' }],
    maximum_image_size: 1000,
    allowed_image_types: 'adjustable',
    image_width_limit: { value: 800, condition: 'at_most' },
  },
  { type: 'number', name: 'Price' },
  { type: 'date_time', name: 'Opened', guidelines: 'A day' },
  {
    type: 'multiple_choice',
    name: 'State',
    mode: 'single',
    options: [{ name: 'New' }, { name: 'Used', codename: 'second_hand', external_id: 'used' }],
  },
  {
    type: 'asset',
    name: 'Photos',
    asset_count_limit: { value: 3, condition: 'at_most' },
    maximum_file_size: 5000,
    allowed_file_types: 'adjustable',
    image_height_limit: { value: 10, condition: 'at_least' },
  },
  {
    type: 'modular_content',
    name: 'Related',
    item_count_limit: { value: 2, condition: 'exactly' },
    allowed_content_types: [{ codename: 'article' }],
  },
  { type: 'taxonomy', taxonomy_group: { codename: 'topics' } },
  { type: 'url_slug', name: 'Slug', depends_on: { element: { external_id: 'title' } } },
  {
    type: 'custom',
    name: 'Map',
    source_url: 'https://example.com/map',
    json_parameters: '{}',
    allowed_elements: [{ codename: 'title' }, { external_id: 'title' }],
  },
  { type: 'snippet', snippet: { codename: 'metadata' }, codename: 'meta' },
];

describe('management: content types and snippets (spec 2.9)', () => {
  let service: ManageService;
  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  const add = async (body: unknown) => {
    const answer = await service.v2.post<TypeJson>('/types', body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const refused = async (answer: Promise<{ status: number; text: string; body: ManageError }>) => {
    const { status, body, text } = await answer;
    expect(status, text).to.equal(400);
    return body;
  };
  const element = (type: Pick<TypeJson, 'elements'>, codename: string): ElementJson =>
    type.elements.find((one) => one.codename === codename)!;
  const modify = async (type: { readonly id: string }, ...operations: readonly unknown[]) => {
    const answer = await service.v2.patch<TypeJson>(`/types/${type.id}`, operations);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };

  it('moves elements, groups and options beside others, and refuses a move without a place', async () => {
    const type = await add({
      name: 'Moves',
      content_groups: [{ name: 'One' }, { name: 'Two' }],
      elements: [
        { type: 'text', name: 'First' },
        { type: 'multiple_choice', name: 'Second', mode: 'single', options: [{ name: 'X' }, { name: 'Y' }] },
      ],
    });
    const [first, second] = type.elements;
    const moved = await modify(
      type,
      { op: 'move', path: '/elements/codename:second', before: { id: first!.id } },
      { op: 'move', path: `/elements/id:${second!.id}/options/codename:x`, after: { codename: 'y' } },
      { op: 'move', path: '/content_groups/codename:one', after: { codename: 'two' } },
    );
    expect(moved.elements.map(({ id }) => id)).to.deep.equal([second!.id, first!.id]);
    const options = moved.elements[0]!['options'] as readonly { codename: string }[];
    expect(options.map(({ codename }) => codename)).to.deep.equal(['y', 'x']);
    expect(moved.content_groups.map(({ codename }) => codename)).to.deep.equal(['two', 'one']);
    for (const operation of [
      { path: '/elements/codename:first' },
      { path: '/elements', before: { codename: 'first' } },
      { path: '/elements/codename:first', before: { codename: 'first' } },
      { path: '/elements/codename:first', after: { codename: 'nothing' } },
      { path: '/elements/codename:first/options/codename:x', after: { codename: 'y' } },
      { path: '/elements/codename:second/options/codename:nothing', after: { codename: 'y' } },
      { path: '/elements/codename:second/name/codename:x', after: { codename: 'y' } },
    ])
      await refused(service.v2.patch(`/types/${type.id}`, [{ op: 'move', ...operation }]));
  });

  it('makes a type with every kind of element, and reads it back by id, codename and external id', async () => {
    const answer = await service.v2.post<TypeJson>('/types', {
      name: 'Every kind',
      external_id: 'every/kind',
      content_groups: [{ name: 'Copy', external_id: 'copy' }],
      elements: EVERY_KIND,
    });
    expect(answer.status, answer.text).to.equal(201);
    const type = answer.body;
    expect(answer.headers.get('location')).to.equal(`${service.v2.baseUrl}/types/${type.id}`);
    expect(Object.keys(type)).to.deep.equal([
      'id',
      'codename',
      'last_modified',
      'external_id',
      'name',
      'content_groups',
      'elements',
    ]);
    expect(type.codename).to.equal('every_kind');
    expect(type.id[14], 'an external id makes a version-5 id').to.equal('5');
    expect(type.elements.map(({ codename }) => codename)).to.deep.equal([
      'how_to',
      'title',
      'body',
      'price',
      'opened',
      'state',
      'photos',
      'related',
      'topics',
      'slug',
      'map',
      'meta',
    ]);
    const title = element(type, 'title');
    expect(title).to.deep.equal({
      maximum_text_length: { value: 60, applies_to: 'characters' },
      name: 'Title',
      guidelines: null,
      is_required: true,
      type: 'text',
      external_id: 'title',
      id: title.id,
      codename: 'title',
      content_group: { id: type.content_groups[0]!.id },
    });
    expect(element(type, 'how_to')).to.have.all.keys('guidelines', 'type', 'id', 'codename');
    expect(element(type, 'body')).to.include({
      maximum_text_length: null,
      maximum_image_size: 1000,
      allowed_image_types: 'adjustable',
      image_height_limit: null,
    });
    expect(element(type, 'photos')).to.deep.include({
      asset_count_limit: { value: 3, condition: 'at_most' },
      maximum_file_size: 5000,
      allowed_file_types: 'adjustable',
      image_width_limit: null,
    });
    expect(element(type, 'slug')['depends_on']).to.deep.equal({ element: { id: title.id } });
    expect(element(type, 'map')['allowed_elements']).to.deep.equal([{ id: title.id }]);
    expect(element(type, 'meta')).to.have.all.keys('snippet', 'type', 'id', 'codename');
    expect(element(type, 'topics')['name']).to.equal('Topics');
    const options = element(type, 'state')['options'] as ElementJson[];
    expect(options.map(({ codename }) => codename)).to.deep.equal(['new', 'second_hand']);
    for (const path of [type.id, 'codename/every_kind', 'external-id/every%2Fkind']) {
      expect((await service.v2.get(`/types/${path}`)).body, path).to.deep.equal(type);
    }
  });

  it('takes a type that was read as the body of another one, which gets ids of its own', async () => {
    const {
      id: _id,
      external_id: _external,
      ...read
    } = (await service.v2.get<TypeJson>('/types/codename/every_kind')).body;
    // References by id inside the body cannot be kept: those elements and groups are made anew.
    const elements = read.elements
      .filter(({ type }) => type !== 'url_slug' && type !== 'custom')
      .map(({ content_group: _group, external_id: _own, ...one }) => one);
    const copy = await add({ ...read, codename: 'copy_of_it', elements });
    const ids = new Set(read.elements.map(({ id }) => id));
    expect(copy.elements.filter(({ id }) => ids.has(id))).to.deep.equal([]);
    expect(copy.elements.map(({ codename }) => codename)).to.deep.equal(
      elements.map(({ codename }) => codename),
    );
  });

  it('changes names, elements, options and groups by operations, and keeps the ids', async () => {
    const before = await add({
      name: 'Changing',
      content_groups: [{ name: 'One' }, { name: 'Two', external_id: 'two' }],
      elements: [
        { type: 'text', name: 'First', content_group: { codename: 'one' } },
        { type: 'text', name: 'Second', external_id: 'second', content_group: { codename: 'two' } },
        { type: 'multiple_choice', name: 'Choice', mode: 'single', options: [{ name: 'A' }, { name: 'B' }] },
        { type: 'modular_content', name: 'Links', allowed_content_types: [{ codename: 'note' }] },
      ],
    });
    const choice = element(before, 'choice');
    const after = await modify(
      before,
      { op: 'replace', path: '/name', value: 'Changed' },
      { op: 'replace', path: '/elements/codename:first/name', value: 'Headline' },
      { op: 'replace', path: '/elements/codename:first/guidelines', value: 'Short' },
      { op: 'remove', path: '/elements/external_id:second' },
      {
        op: 'addInto',
        path: '/elements',
        value: { type: 'number', name: 'Weight', external_id: 'weight' },
        before: { codename: 'choice' },
      },
      { op: 'replace', path: '/elements/external_id:weight/is_required', value: true },
      {
        op: 'addInto',
        path: `/elements/id:${choice.id}/options`,
        value: { name: 'C' },
        after: { codename: 'a' },
      },
      { op: 'remove', path: `/elements/id:${choice.id}/options/codename:b` },
      { op: 'replace', path: `/elements/id:${choice.id}/options/codename:a/name`, value: 'Aa' },
      { op: 'replace', path: `/elements/id:${choice.id}/mode`, value: 'multiple' },
      {
        op: 'addInto',
        path: '/elements/codename:links/allowed_content_types',
        value: { codename: 'article' },
      },
      { op: 'remove', path: '/elements/codename:links/allowed_content_types/codename:note' },
      { op: 'remove', path: '/content_groups/codename:one' },
      { op: 'replace', path: '/content_groups/external_id:two/name', value: 'Rest' },
      { op: 'addInto', path: '/content_groups', value: { name: 'New' } },
    );
    expect(after).to.include({ id: before.id, name: 'Changed', codename: 'changed' });
    expect(after.content_groups.map(({ codename }) => codename)).to.deep.equal(['rest', 'new']);
    expect(after.elements.map(({ codename }) => codename)).to.deep.equal([
      'headline',
      'weight',
      'choice',
      'links',
    ]);
    const headline = element(after, 'headline');
    expect(headline).to.include({ id: element(before, 'first').id, guidelines: 'Short' });
    expect(headline, 'its group is gone').not.to.have.property('content_group');
    expect(element(after, 'weight')).to.include({ is_required: true });
    const changed = element(after, 'choice');
    expect(changed).to.include({ id: choice.id, mode: 'multiple' });
    const was = choice['options'] as ElementJson[];
    const options = changed['options'] as ElementJson[];
    expect(options.map(({ codename }) => codename)).to.deep.equal(['aa', 'c']);
    expect(options[0]!.id).to.equal(was[0]!.id);
    const article = (await service.v2.get<TypeJson>('/types/codename/article')).body;
    expect(element(after, 'links')['allowed_content_types']).to.deep.equal([{ id: article.id }]);
  });

  it('keeps an explicit codename through a rename, and lets one be set', async () => {
    const type = await add({
      name: 'By hand',
      codename: 'hand',
      elements: [{ type: 'text', name: 'Title' }],
    });
    const renamed = await modify(
      type,
      { op: 'replace', path: '/name', value: 'Another' },
      { op: 'replace', path: '/elements/codename:title/codename', value: 'headline' },
      { op: 'replace', path: '/elements/codename:headline/name', value: 'Anything' },
    );
    expect(renamed.codename).to.equal('hand');
    expect(renamed.elements[0]).to.include({ codename: 'headline', name: 'Anything' });
  });

  it('carries out all operations or none, and names the one that fails', async () => {
    const type = await add({ name: 'Whole', elements: [{ type: 'text', name: 'Title' }] });
    const table: readonly (readonly [operation: unknown, message: RegExp])[] = [
      [{ op: 'remove', path: '/elements/codename:none' }, /not found/],
      [{ op: 'replace', path: '/elements/codename:title/type', value: 'number' }, /cannot be replaced/],
      [{ op: 'replace', path: '/elements/codename:title/name', value: '' }, /must not be empty/],
      [{ op: 'replace', path: '/elements/codename:title/name', value: 7 }, /string is expected/],
      [{ op: 'replace', path: '/elements/codename:title/is_required', value: 'yes' }, /true or false/],
      [{ op: 'replace', path: '/elements/codename:title/name' }, /value is missing/],
      [{ op: 'addInto', path: '/elements', value: { type: 'tex', name: 'X' } }, /no element type/],
      [{ op: 'addInto', path: '/elements', value: [] }, /must be an object/],
      [
        { op: 'addInto', path: '/elements', value: { type: 'text', name: 'X' }, after: { codename: 'none' } },
        /not found/,
      ],
      [{ op: 'addInto', path: '/elements/codename:title/options', value: { name: 'X' } }, /no options/],
      [{ op: 'copy', path: '/elements' }, /operations are/],
      [{ op: 'move', path: '/elements' }, /^Invalid operation with index '1': /],
      [{ op: 'remove', path: '/nowhere/codename:x' }, /nothing at this path/],
      [{ op: 'remove' }, /path is missing/],
      [{ path: '/name' }, /'op' is missing/],
    ];
    for (const [operation, message] of table) {
      const error = await refused(
        service.v2.patch<ManageError>(`/types/${type.id}`, [
          { op: 'replace', path: '/name', value: 'Half' },
          operation,
        ]),
      );
      const shown = JSON.stringify(operation);
      expect(error.error_code, shown).to.equal(5);
      expect(error.validation_errors, shown).to.have.length(1);
      const [finding] = error.validation_errors!;
      expect(finding!.message, shown).to.match(message);
      expect(finding!.path, shown).to.match(/^\[1\]/);
      expect(finding, shown).to.include.all.keys('line', 'position');
    }
    const all = await refused(
      service.v2.patch<ManageError>(
        `/types/${type.id}`,
        table.map(([operation]) => operation),
      ),
    );
    const reported = all.validation_errors!.map(({ path }) => Number(/^\[(\d+)\]/.exec(path ?? '')?.[1]));
    // Findings of the whole type come only when each operation is valid.
    const early = table.flatMap(([, message], index) =>
      /empty|string|true or false|element type/.test(message.source) ? [] : [index],
    );
    expect(reported).to.include.members(early);
    expect((await service.v2.get(`/types/${type.id}`)).body).to.deep.equal(type);
  });

  it('takes types that allow themselves and each other, whichever is made first', async () => {
    const links = (...types: readonly string[]) => ({
      type: 'modular_content',
      name: 'Links',
      allowed_content_types: types.map((external_id) => ({ external_id })),
    });
    const first = await add({ name: 'First', external_id: 'first', elements: [links('first', 'second')] });
    const second = await add({ name: 'Second', external_id: 'second', elements: [links('first')] });
    expect(element(first, 'links')).to.deep.include({
      allowed_content_types: [{ id: first.id }, { id: second.id }],
    });
    expect(element(second, 'links')).to.deep.include({ allowed_content_types: [{ id: first.id }] });
    await service.v2.post('/items', { name: 'Later', type: { id: second.id }, external_id: 'later' });
    await service.v2.post('/items', { name: 'Sooner', type: { id: first.id }, external_id: 'sooner' });
    const elements = [{ element: { codename: 'links' }, value: [{ external_id: 'later' }] }];
    const put = await service.v2.put(
      '/items/external-id/sooner/variants/00000000-0000-0000-0000-000000000000',
      { elements },
    );
    expect(put.status, put.text).to.equal(201);
  });

  it('allows a type once, in whatever forms it is named', async () => {
    const { id } = await add({ name: 'Often', external_id: 'often', elements: [] });
    const allowed = [{ id }, { codename: 'often' }, { external_id: 'often' }];
    const links = { type: 'modular_content', name: 'Links', allowed_content_types: allowed };
    const type = await add({ name: 'Naming it often', elements: [links] });
    expect(element(type, 'links')).to.deep.include({ allowed_content_types: [{ id }] });
    const path = '/elements/codename:links/allowed_content_types';
    const again = await service.v2.patch<TypeJson>(`/types/${type.id}`, [
      { op: 'addInto', path, value: { codename: 'often' } },
    ]);
    expect(again.body, again.text).to.deep.equal(type);
  });

  it('makes codenames where they come empty, as published clients send them', async () => {
    const empty = { codename: '', external_id: '' };
    const type = await add({
      name: 'Left empty',
      ...empty,
      content_groups: [{ name: 'Main part', ...empty, external_id: 'main' }],
      elements: [
        { type: 'text', name: 'Some text', content_group: { external_id: 'main' }, ...empty },
        {
          type: 'multiple_choice',
          name: 'Some choice',
          mode: 'single',
          options: [{ name: 'An option', ...empty }],
          content_group: { external_id: 'main' },
          ...empty,
        },
        { type: 'guidelines', guidelines: '<p>x</p>', content_group: { external_id: 'main' }, ...empty },
      ],
    });
    expect(type.codename).to.equal('left_empty');
    expect(type).not.to.have.property('external_id');
    expect(type.content_groups[0]?.codename).to.equal('main_part');
    const [text, choice, guidelines] = type.elements;
    expect([text?.codename, choice?.codename]).to.deep.equal(['some_text', 'some_choice']);
    expect(guidelines?.codename).to.match(/^[a-z_][a-z0-9_]{30,}$/);
    expect(choice?.['options']).to.have.nested.property('[0].codename', 'an_option');
    const changed = await modify(type, {
      op: 'addInto',
      path: '/elements',
      value: { type: 'text', name: 'More', content_group: { external_id: 'main' }, ...empty },
    });
    expect(changed.elements.map(({ codename }) => codename)).to.include('more');
    const snippet = await service.v2.post<TypeJson>('/snippets', {
      name: 'Empty too',
      ...empty,
      elements: [{ type: 'text', name: 'Inner text', ...empty }],
    });
    expect(snippet.status, snippet.text).to.equal(201);
    expect(snippet.body.elements[0]?.codename).to.match(/inner_text$/);
    await service.v2.delete('/snippets/codename/empty_too');
    const item = await service.v2.post<{ codename: string }>('/items', {
      name: 'No codename',
      codename: '',
      type: { id: type.id },
    });
    expect([item.status, item.body.codename]).to.deep.equal([201, 'no_codename']);
    const cleared = [{ op: 'replace', path: '/elements/codename:some_text/codename', value: '' }];
    await refused(service.v2.patch<ManageError>(`/types/${type.id}`, cleared));
  });

  it('reports all findings in a body at once, with their paths', async () => {
    const error = await refused(
      service.v2.post<ManageError>(
        '/types',
        `{
  "name": "${'x'.repeat(51)}",
  "elements": [
    { "type": "text", "name": "", "is_required": 1 },
    { "type": "taxonomy", "name": "No group" },
    { "type": "modular_content", "name": "Links", "allowed_content_types": [{ "codename": "none" }] },
    { "type": "custom", "name": "No page" },
    { "type": "url_slug", "name": "Slug" },
    { "name": "No type" }
  ]
}`,
      ),
    );
    expect(error.error_code).to.equal(5);
    const places = new Map(error.validation_errors!.map(({ path, line }) => [path, line]));
    expect([...places]).to.deep.include.members([
      ['name', 2],
      ['elements[0].name', 4],
      ['elements[0].is_required', 4],
      ['elements[1].taxonomy_group', 5],
      ['elements[2].allowed_content_types[0]', 6],
      ['elements[3].source_url', 7],
      ['elements[4].depends_on', 8],
      ['elements[5]', 9],
    ]);
  });

  it('does not ask for the name of an element whose snippet or group, which would give it one, is not there', async () => {
    const elements = [
      { type: 'snippet', codename: 'meta', snippet: { codename: 'nowhere' } },
      { type: 'taxonomy', codename: 'topics', taxonomy_group: { codename: 'nowhere' } },
    ];
    const error = await refused(service.v2.post<ManageError>('/types', { name: 'Nameless', elements }));
    expect(error.validation_errors?.map(({ path, message }) => [path, message])).to.deep.equal([
      ['elements[0].snippet', "There is no snippet with the codename 'nowhere'."],
      ['elements[1].taxonomy_group', "There is no taxonomy group with the codename 'nowhere'."],
    ]);
  });

  it('refuses bodies of any other shape with code 5', async () => {
    const bodies = [
      '[]',
      '"x"',
      '7',
      'null',
      '{}',
      '{"name":"A"}',
      '{"name":{},"elements":{}}',
      '{"name":["a"],"elements":[1]}',
    ];
    for (const body of bodies) {
      expect((await refused(service.v2.post<ManageError>('/types', body))).error_code, body).to.equal(5);
    }
    for (const body of ['{}', '"x"', '[1]', '[null]', '[[]]']) {
      const answer = service.v2.patch<ManageError>('/types/codename/note', body);
      expect((await refused(answer)).error_code, body).to.equal(5);
    }
  });

  it('deletes a type that nothing uses, and says why where something does (code 0)', async () => {
    const used = await refused(service.v2.delete<ManageError>('/types/codename/article'));
    expect(used.error_code).to.equal(0);
    expect(used.message).to.match(/used/);
    const type = await add({ name: 'Unused', elements: [] });
    const gone = await service.v2.delete(`/types/${type.id}`);
    expect(gone).to.include({ status: 204, text: '' });
    const again = await service.v2.delete<ManageError>(`/types/${type.id}`);
    expect([again.status, again.body.error_code]).to.deep.equal([404, 105]);
  });

  it('answers 404 with the code of the call', async () => {
    const calls = [
      ['get', '/types/codename/none', 105],
      ['delete', '/types/codename/none', 105],
      ['patch', '/types/codename/none', 107],
      ['get', '/snippets/codename/none', 105],
      ['delete', '/snippets/external-id/none', 105],
      ['patch', '/snippets/00000000-0000-0000-0000-000000000001', 109],
    ] as const;
    for (const [method, path, code] of calls) {
      const answer =
        method === 'patch'
          ? await service.v2.patch<ManageError>(path, [])
          : await service.v2[method]<ManageError>(path);
      expect([answer.status, answer.body.error_code], `${method} ${path}`).to.deep.equal([404, code]);
    }
  });

  it('lists types in pages of 50, by header and query, whatever is added meanwhile (spec 2.9)', async () => {
    for (let made = 0; made < 60; made += 1) await add({ name: `Listed ${made}`, elements: [] });
    const first = await service.v2.get<Page>('/types');
    expect(first.body.types).to.have.length(50);
    const token = first.body.pagination.continuation_token!;
    expect(first.headers.get('x-continuation')).to.equal(token);
    await add({ name: 'Meanwhile', elements: [] });
    const byHeader = await service.v2.get<Page>('/types', { 'x-continuation': token });
    const byQuery = await service.v2.get<Page>(
      first.body.pagination.next_page!.slice(service.v2.baseUrl.length),
    );
    expect(byQuery.body).to.deep.equal(byHeader.body);
    expect(byHeader.body.pagination).to.deep.equal({ continuation_token: null, next_page: null });
    expect(byHeader.headers.get('x-continuation')).to.equal('');
    const all = [...first.body.types, ...byHeader.body.types].map(({ codename }) => codename);
    expect(new Set(all).size).to.equal(all.length);
    expect(all).to.include.members(['article', 'note', 'listed_0', 'listed_59', 'meanwhile']);
    const bad = await service.v2.get<ManageError>('/types', { 'x-continuation': 'nonsense' });
    expect([bad.status, bad.body.error_code]).to.deep.equal([400, 1007]);
  });

  it('makes, changes and deletes snippets; a change reaches the types that hold them', async () => {
    const made = await service.v2.post<SnippetJson>('/snippets', {
      name: 'Social',
      codename: 'social',
      elements: [
        { type: 'text', name: 'Card title', external_id: 'card-title' },
        { type: 'number', name: 'Weight' },
      ],
    });
    expect(made.status, made.text).to.equal(201);
    const snippet = made.body;
    expect(Object.keys(snippet)).to.deep.equal(['id', 'codename', 'last_modified', 'name', 'elements']);
    const holder = await add({
      name: 'Holder',
      elements: [{ type: 'snippet', snippet: { id: snippet.id } }],
    });
    const changed = await service.v2.patch<SnippetJson>('/snippets/codename/social', [
      { op: 'replace', path: '/elements/external_id:card-title/name', value: 'Headline' },
      { op: 'remove', path: '/elements/codename:weight' },
    ]);
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body.elements.map(({ codename }) => codename)).to.deep.equal(['headline']);
    const delivered = await service.delivery.get<{ elements: Record<string, unknown> }>('/types/holder');
    expect(Object.keys(delivered.body.elements)).to.deep.equal(['social__headline']);
    const used = await refused(service.v2.delete<ManageError>(`/snippets/${snippet.id}`));
    expect(used.error_code).to.equal(0);
    expect((await service.v2.delete(`/types/${holder.id}`)).status).to.equal(204);
    expect((await service.v2.delete(`/snippets/${snippet.id}`)).status).to.equal(204);
    const listed = await service.v2.get<{ snippets: readonly SnippetJson[] }>('/snippets');
    expect(listed.body.snippets.map(({ codename }) => codename)).to.deep.equal(['metadata']);
  });

  it('takes codenames of elements of snippets with and without the prefix that items show', async () => {
    const made = await service.v2.post<SnippetJson>('/snippets', {
      name: 'Card',
      codename: 'card',
      elements: [
        { type: 'text', name: 'Title', codename: 'card__title' },
        { type: 'text', name: 'Note', codename: 'note' },
      ],
    });
    expect(made.status, made.text).to.equal(201);
    expect(made.body.elements.map(({ codename }) => codename)).to.deep.equal(['title', 'note']);
    const changed = await service.v2.patch<SnippetJson>('/snippets/codename/card', [
      { op: 'replace', path: '/elements/codename:card__title/guidelines', value: 'Short' },
      { op: 'addInto', path: '/elements', value: { type: 'number', name: 'Size', codename: 'card__size' } },
      { op: 'remove', path: '/elements/codename:note' },
    ]);
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body.elements.map(({ codename }) => codename)).to.deep.equal(['title', 'size']);
    expect(changed.body.elements[0]).to.include({ guidelines: 'Short', id: made.body.elements[0]!.id });
    const between = await service.v2.patch<SnippetJson>('/snippets/codename/card', [
      {
        op: 'addInto',
        path: '/elements',
        value: { type: 'number', name: 'Weight' },
        before: { codename: 'card__size' },
      },
    ]);
    expect(between.status, between.text).to.equal(200);
    expect(between.body.elements.map(({ codename }) => codename)).to.deep.equal(['title', 'weight', 'size']);
    expect((await service.v2.delete('/snippets/codename/card')).status).to.equal(204);
  });

  it('keeps the codename of an element that begins like the prefix when the snippet is changed', async () => {
    const made = await service.v2.post<SnippetJson>('/snippets', {
      name: 'SEO',
      elements: [
        { type: 'text', name: 'SEO: title' },
        { type: 'text', name: 'Note' },
      ],
    });
    const codenames = ['seo__title', 'note'];
    expect(made.body.elements.map(({ codename }) => codename)).to.deep.equal(codenames);
    const changed = await service.v2.patch<SnippetJson>('/snippets/codename/seo', [
      { op: 'replace', path: '/elements/codename:note/guidelines', value: 'Short' },
    ]);
    expect(changed.body.elements.map(({ codename }) => codename)).to.deep.equal(codenames);
    expect((await service.v2.delete('/snippets/codename/seo')).status).to.equal(204);
  });

  it('refuses in a snippet what only types can hold', async () => {
    const error = await refused(
      service.v2.post<ManageError>('/snippets', {
        name: 'Wrong',
        elements: [
          { type: 'snippet', snippet: { codename: 'metadata' } },
          { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'x' } } },
        ],
      }),
    );
    expect(error.validation_errors!.map(({ path }) => path)).to.include.members([
      'elements[0].type',
      'elements[1].type',
    ]);
  });

  it('renames what readers see at once, in items too', async () => {
    const article = (await service.v2.get<TypeJson>('/types/codename/article')).body;
    await modify(article, { op: 'replace', path: '/elements/codename:price/codename', value: 'cost' });
    const { body } = await service.delivery.get<{ item: { elements: Record<string, { value: unknown }> } }>(
      '/items/lighthouse',
    );
    expect(body.item.elements['cost']?.value).to.equal(8.5);
    expect(body.item.elements).not.to.have.property('price');
  });

  it('changes nothing in a type when the operations have the current values', async () => {
    const before = (await service.v2.get<TypeJson>('/types/codename/note')).body;
    const after = await modify(before, { op: 'replace', path: '/name', value: before.name });
    expect(after).to.deep.equal(before);
  });
});
