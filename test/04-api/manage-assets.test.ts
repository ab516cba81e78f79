/** Files, assets and folders of the management API, v1 and v2 (spec 2.10, 4.4). */
import { expect } from 'chai';
import {
  type ManageClient,
  type ManageError,
  type ManageService,
  startManage,
} from '../support/projects/manage-service.ts';

interface AssetJson {
  readonly id: string;
  readonly file_name: string;
  readonly title: string | null;
  readonly url: string;
  readonly file_reference: { readonly id: string; readonly type: string };
  readonly descriptions: readonly {
    readonly language: { readonly id: string };
    readonly description: string | null;
  }[];
  readonly external_id?: string;
  readonly folder?: { readonly id: string };
  readonly last_modified: string;
}
interface AssetPage {
  readonly assets: readonly AssetJson[];
  readonly pagination: { readonly continuation_token: string | null; readonly next_page: string | null };
}
interface FolderJson {
  readonly id: string;
  readonly name: string;
  readonly external_id?: string;
  readonly folders: readonly FolderJson[];
}
interface FolderTree {
  readonly last_modified: string;
  readonly folders: readonly FolderJson[];
}

const DEFAULT = '00000000-0000-0000-0000-000000000000';
/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const shape = (folders: readonly FolderJson[]): string =>
  folders.map(({ name, folders: inner }) => (inner.length > 0 ? `${name}(${shape(inner)})` : name)).join(',');

describe('management: files, assets and folders', () => {
  let service: ManageService;
  let german: string;
  before(async () => {
    service = await startManage();
    const { languages } = (
      await service.v2.get<{ languages: readonly { id: string; codename: string }[] }>('/languages')
    ).body;
    german = languages.find(({ codename }) => codename === 'de-DE')!.id;
  });
  after(() => service.stop());

  const upload = async (
    content: Uint8Array | string,
    name = 'note.txt',
    type = 'text/plain',
    client = service.v2,
  ) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const answer = await client.post<{ id: string; type: string }>(
      `/files/${encodeURIComponent(name)}`,
      bytes,
      {
        'content-type': type,
      },
    );
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const add = async (body: object = {}, client: ManageClient = service.v2) => {
    const answer = await client.post<AssetJson>('/assets', {
      file_reference: await upload('text'),
      descriptions: [],
      ...body,
    });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const code = async (answer: Promise<{ status: number; body: ManageError }>) => {
    const { status, body } = await answer;
    return [status, body.error_code];
  };

  for (const version of ['v1', 'v2'] as const) {
    it(`${version}: creates an asset from an upload, which its URL delivers`, async () => {
      const client = service[version];
      const file = await upload(PNG, 'réd pixel (1).png', 'image/png', client);
      expect(file.type).to.equal('internal');
      const answer = await client.post<AssetJson>('/assets', {
        // One published client sends the number 0.
        file_reference: { id: file.id, type: version === 'v1' ? 0 : 'internal' },
        title: 'Red',
        descriptions: [{ language: { codename: 'de-DE' }, description: 'Ein Punkt' }],
      });
      expect(answer.status, answer.text).to.equal(201);
      const asset = answer.body;
      expect(answer.headers.get('location')).to.equal(`${client.baseUrl}/assets/${asset.id}`);
      expect(Object.keys(asset)).to.deep.equal([
        'id',
        'file_name',
        'title',
        'size',
        'type',
        'url',
        'image_width',
        'image_height',
        'file_reference',
        'descriptions',
        'last_modified',
      ]);
      expect(asset).to.deep.include({
        file_name: 'réd pixel (1).png',
        title: 'Red',
        size: PNG.length,
        type: 'image/png',
        image_width: 1,
        image_height: 1,
        file_reference: { id: file.id, type: 'internal' },
      });
      expect(asset.id).not.to.equal(file.id);
      const [english, deutsch, ...more] = asset.descriptions;
      expect(english).to.deep.equal({ language: { id: DEFAULT }, description: null });
      expect(deutsch).to.deep.equal({ language: { id: german }, description: 'Ein Punkt' });
      expect(more, 'one for each active language').to.have.length(1);
      const fetched = await fetch(asset.url);
      expect(fetched.status).to.equal(200);
      expect(fetched.headers.get('content-type')).to.equal('image/png');
      expect(Buffer.from(await fetched.arrayBuffer()).equals(PNG)).to.equal(true);
      expect((await client.get(`/assets/${asset.id}`)).body).to.deep.equal(asset);
    });
  }

  it('has no size in pixels for files that are no image, and no title by default', async () => {
    const asset = await add();
    expect(asset).to.include({ title: null });
    expect(asset).to.deep.include({ image_width: null, image_height: null });
  });

  it('changes title and given descriptions by id; the file stays, and unchanged values change nothing', async () => {
    const asset = await add({
      title: 'Before',
      descriptions: [
        { language: { id: DEFAULT }, description: 'English' },
        { language: { id: german }, description: 'Deutsch' },
      ],
    });
    const same = await service.v2.put<AssetJson>(`/assets/${asset.id}`, asset);
    expect(same.status).to.equal(200);
    expect(same.body).to.deep.equal(asset);
    const other = await upload('other');
    const changed = await service.v1.put<AssetJson>(`/assets/${asset.id}`, {
      title: 'After',
      file_reference: other,
      descriptions: [{ language: { id: german }, description: null }],
    });
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.headers.get('location')).to.equal(null);
    expect(changed.body.title).to.equal('After');
    expect(changed.body.file_reference).to.deep.equal(asset.file_reference);
    expect(changed.body.descriptions.slice(0, 2).map(({ description }) => description)).to.deep.equal([
      'English',
      null,
    ]);
    expect(changed.body.last_modified > asset.last_modified).to.equal(true);
  });

  it('upserts by external id: 201 and Location first, then 200, with another file too', async () => {
    const body = { file_reference: await upload('one'), title: 'One', descriptions: [] };
    const first = await service.v1.put<AssetJson>('/assets/external-id/ext%20one', body);
    expect(first.status, first.text).to.equal(201);
    expect(first.headers.get('location')).to.equal(`${service.v1.baseUrl}/assets/${first.body.id}`);
    expect(first.body.id[14], 'an external id makes a version-5 id').to.equal('5');
    expect(Object.keys(first.body)).to.include('external_id');
    const again = await service.v1.put<AssetJson>('/assets/external-id/ext%20one', body);
    expect([again.status, again.body]).to.deep.equal([200, first.body]);
    const file = await upload('two', 'two.txt');
    const second = await service.v2.put<AssetJson>('/assets/external-id/ext%20one', {
      ...body,
      file_reference: file,
    });
    expect(second.status).to.equal(200);
    expect(second.body.file_reference.id).to.equal(file.id);
    expect(second.body.file_name).to.equal('two.txt');
    expect((await service.v2.delete('/assets/external-id/ext%20one')).status).to.equal(204);
    expect(await code(service.v2.get<ManageError>('/assets/external-id/ext%20one'))).to.deep.equal([
      404, 105,
    ]);
    const revived = await service.v1.put<AssetJson>('/assets/external-id/ext%20one', body);
    expect(revived.status, '200 although it had been deleted, as clients know it').to.equal(200);
    expect(revived.body.id).to.equal(first.body.id);
  });

  it('refuses a second asset with an external id, also of concurrent requests', async () => {
    const file = await upload('raced');
    const body = { file_reference: file, external_id: 'raced', descriptions: [] };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => service.v2.post<ManageError>('/assets', body)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([201, ...Array.from({ length: 11 }, () => 400)]);
    const refusal = answers.find(({ status }) => status === 400)!.body;
    expect(refusal.error_code).to.equal(5);
    expect(refusal.validation_errors![0]).to.include({ path: 'external_id', line: 1 });
  });

  it('deletes unused assets, and names the item that uses another', async () => {
    const asset = await add();
    expect(await service.v2.delete(`/assets/${asset.id}`)).to.include({ status: 204, text: '' });
    expect(await code(service.v2.delete<ManageError>(`/assets/${asset.id}`))).to.deep.equal([404, 105]);
    const photo = (await service.v2.get<AssetPage>('/assets')).body.assets.find(
      ({ file_name }) => file_name === 'light house.jpg',
    )!;
    const refusal = await service.v2.delete<ManageError>(`/assets/${photo.id}`);
    expect([refusal.status, refusal.body.error_code]).to.deep.equal([400, 0]);
    expect(refusal.body.message).to.match(/lighthouse/);
  });

  it('shows a changed description to readers at once', async () => {
    const photo = (await service.v2.get<AssetPage>('/assets')).body.assets.find(
      ({ file_name }) => file_name === 'light house.jpg',
    )!;
    await service.v2.put(`/assets/${photo.id}`, {
      descriptions: [{ language: { id: DEFAULT }, description: 'Freshly painted' }],
    });
    expect((await service.delivery.get('/items/lighthouse')).text).to.contain('Freshly painted');
  });

  it('lists assets in pages of 100, by header and query, also while assets are added (spec 2.9)', async () => {
    for (let made = 0; made < 110; made += 1) await add({ title: `Listed ${made}` });
    const first = (await service.v1.get<AssetPage>('/assets')).body;
    expect(first.assets).to.have.length(100);
    await add({ title: 'Meanwhile' });
    const path = first.pagination.next_page!.slice(service.v1.baseUrl.length);
    const second = await service.v1.get<AssetPage>(path);
    const byHeader = await service.v1.get<AssetPage>('/assets', {
      'x-continuation': first.pagination.continuation_token!,
    });
    expect(byHeader.body).to.deep.equal(second.body);
    expect(second.body.pagination.continuation_token).to.equal(null);
    expect(second.headers.get('x-continuation')).to.equal('');
    const titles = [...first.assets, ...second.body.assets].map(({ title }) => title);
    expect(titles).to.include.members(['Listed 0', 'Listed 109', 'Meanwhile']);
    expect(titles.filter((title) => title === 'Listed 50')).to.have.length(1);
  });

  it('refuses uploads without a media type (205), without a name, and with a path as name', async () => {
    for (const type of ['', 'text', 'a b/c']) {
      const answer = service.v2.post<ManageError>('/files/a.txt', Buffer.from('x'), { 'content-type': type });
      expect(await code(answer), type).to.deep.equal([400, 205]);
    }
    for (const name of ['a%2Fb.txt', '%5C', '%01.txt', 'x'.repeat(201)]) {
      const answer = service.v2.post<ManageError>(`/files/${name}`, Buffer.from('x'), {
        'content-type': 'text/plain',
      });
      expect(await code(answer), name).to.deep.equal([400, 5]);
    }
    expect(
      (await service.v2.post('/files', Buffer.from('x'), { 'content-type': 'text/plain' })).status,
    ).to.equal(404);
    const wrong = await service.v2.get<ManageError>('/files/a.txt');
    expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'POST']);
  });

  it('stores an upload of several megabytes byte for byte, and an empty one', async () => {
    const content = Buffer.alloc(5_000_000, 'abcdefg');
    for (const bytes of [content, Buffer.alloc(0)]) {
      const file = await upload(bytes, 'big.bin', 'application/octet-stream');
      const asset = await add({ file_reference: file });
      expect(asset).to.include({ size: bytes.length });
      expect(Buffer.from(await (await fetch(asset.url)).arrayBuffer()).equals(bytes)).to.equal(true);
    }
  });

  it('reports all findings in the body of an asset, with paths', async () => {
    const file = await upload('x');
    const table: readonly (readonly [body: unknown, paths: readonly (string | undefined)[]])[] = [
      [{}, ['file_reference']],
      [{ file_reference: {} }, ['file_reference']],
      [{ file_reference: { id: DEFAULT, type: 'internal' } }, ['file_reference']],
      [{ file_reference: { ...file, type: 'external' } }, ['file_reference.type']],
      [{ file_reference: file, title: 'x'.repeat(51) }, ['title']],
      [{ file_reference: file, title: 'a\0b' }, ['title']],
      [{ file_reference: file, title: 5, external_id: '' }, ['title', 'external_id']],
      [{ file_reference: file, descriptions: {} }, ['descriptions']],
      [
        { file_reference: file, descriptions: [{ description: 'x' }] },
        ['descriptions[0]', 'descriptions[0].language'],
      ],
      [{ file_reference: file, descriptions: [{ language: { id: DEFAULT } }] }, ['descriptions[0]']],
      [
        {
          file_reference: file,
          descriptions: [
            { language: { codename: 'none' }, description: 'x' },
            { language: { id: DEFAULT }, description: 'x'.repeat(501) },
            { language: { codename: 'en-US' }, description: 7 },
          ],
        },
        [
          'descriptions[0].language',
          'descriptions[1].description',
          'descriptions[2].description',
          'descriptions[2]',
        ],
      ],
      [{ file_reference: file, folder: { external_id: 'none' } }, ['folder']],
    ];
    for (const [body, paths] of table) {
      const shown = JSON.stringify(body).slice(0, 200);
      const answer = await service.v2.post<ManageError>('/assets', body);
      expect([answer.status, answer.body.error_code], shown).to.deep.equal([400, 5]);
      const found = answer.body.validation_errors!.map(({ path }) => path);
      expect(found, shown).to.have.members([...paths]);
    }
    const missing = await service.v2.put<ManageError>('/assets/external-id/never', { descriptions: [] });
    expect([missing.status, missing.body.error_code]).to.deep.equal([400, 5]);
    for (const path of ['/assets/none', `/assets/${DEFAULT}`, '/assets/codename/x']) {
      expect(await code(service.v2.put<ManageError>(path, { descriptions: [] })), path).to.deep.equal([
        404, 105,
      ]);
    }
  });

  describe('folders', () => {
    it('are empty at first, and can be added to repeatedly', async () => {
      const none = (await service.v2.get<FolderTree>('/folders')).body;
      expect(none.folders).to.deep.equal([]);
      const answer = await service.v2.post<FolderTree>('/folders', {
        folders: [
          {
            name: 'Top',
            external_id: 'top',
            folders: [{ name: 'Second', external_id: 'second', folders: [] }],
          },
        ],
      });
      expect(answer.status, answer.text).to.equal(201);
      expect(shape(answer.body.folders)).to.equal('Top(Second)');
      const more = await service.v2.post<FolderTree>('/folders', { folders: [{ name: 'Top', folders: [] }] });
      expect(shape(more.body.folders)).to.equal('Top(Second),Top');
      expect((await service.v2.get('/folders')).body).to.deep.equal(more.body);
    });

    it('are changed by operations, all or none', async () => {
      const before = (await service.v2.get<FolderTree>('/folders')).body;
      const answer = await service.v2.patch<FolderTree>('/folders', [
        {
          op: 'addInto',
          reference: { external_id: 'top' },
          before: { external_id: 'second' },
          value: { name: 'New', external_id: 'new', folders: [] },
        },
        { op: 'addinto', reference: { external_id: 'new' }, value: { name: 'Inner', folders: [] } },
        { op: 'rename', reference: { external_id: 'second' }, value: 'Renamed' },
        { op: 'remove', reference: { id: before.folders[1]!.id } },
        { op: 'addInto', value: { name: 'Last', folders: [] } },
      ]);
      expect(answer.status, answer.text).to.equal(200);
      expect(shape(answer.body.folders)).to.equal('Top(New(Inner),Renamed),Last');
      expect(answer.body.folders[0]!.id).to.equal(before.folders[0]!.id);
      for (const operation of [
        { op: 'remove', reference: { external_id: 'none' } },
        { op: 'remove' },
        { op: 'rename', reference: { external_id: 'second' }, value: '' },
        { op: 'rename', reference: { external_id: 'second' }, value: 'x'.repeat(251) },
        { op: 'addInto', value: { name: 'Twice', external_id: 'top', folders: [] } },
        { op: 'addInto', value: 'Name' },
        { op: 'replace', value: 'x' },
      ]) {
        const refusal = await service.v2.patch<ManageError>('/folders', [
          { op: 'addInto', value: { name: 'Half', folders: [] } },
          operation,
        ]);
        const shown = JSON.stringify(operation).slice(0, 100);
        expect([refusal.status, refusal.body.error_code], shown).to.deep.equal([400, 5]);
        expect(refusal.body.validation_errors![0]!.path, shown).to.match(/^\[1\]/);
      }
      expect((await service.v2.get('/folders')).body).to.deep.equal(answer.body);
    });

    it('have a finding at the operation that made it, and at no later one', async () => {
      const answer = await service.v2.patch<ManageError>('/folders', [
        { op: 'addInto', value: { name: 'x'.repeat(251), folders: [] } },
        { op: 'addInto', value: { name: 'Fine', external_id: 'fine', folders: [] } },
        { op: 'addInto', reference: { external_id: 'fine' }, value: { name: '', folders: [] } },
        { op: 'rename', reference: { external_id: 'fine' }, value: 'Finer' },
      ]);
      expect(answer.body.validation_errors!.map(({ path }) => path)).to.deep.equal(['[0]', '[2]']);
    });

    it('refuse invalid folders, with paths', async () => {
      const answer = await service.v2.post<ManageError>('/folders', {
        folders: [{ name: 'Fine', folders: [{ name: '', folders: [] }] }],
      });
      expect(answer.body.validation_errors!.map(({ path }) => path)).to.deep.equal([
        'folders[0].folders[0].name',
      ]);
      expect(await code(service.v2.post<ManageError>('/folders', {}))).to.deep.equal([400, 5]);
    });

    it('contain assets, which move to the top level when their folder is removed; v1 has no folders', async () => {
      const asset = await add({ folder: { external_id: 'new' } });
      const folder = asset.folder!.id;
      expect(Object.keys(asset).slice(-2)).to.deep.equal(['folder', 'last_modified']);
      expect((await service.v1.get<AssetJson>(`/assets/${asset.id}`)).body).not.to.have.property('folder');
      const kept = await service.v1.put<AssetJson>(`/assets/${asset.id}`, {
        title: 'Kept',
        descriptions: [],
      });
      expect(kept.status).to.equal(200);
      expect((await service.v2.get<AssetJson>(`/assets/${asset.id}`)).body.folder).to.deep.equal({
        id: folder,
      });
      const top = await service.v2.put<AssetJson>(`/assets/${asset.id}`, {
        folder: { id: DEFAULT },
        descriptions: [],
      });
      expect(top.body).not.to.have.property('folder');
      await service.v2.put(`/assets/${asset.id}`, { folder: { id: folder }, descriptions: [] });
      await service.v2.patch('/folders', [{ op: 'remove', reference: { external_id: 'new' } }]);
      expect((await service.v2.get(`/assets/${asset.id}`)).body).not.to.have.property('folder');
    });

    it('are removed with if_empty only while nothing is in them', async () => {
      const { folders } = (
        await service.v2.post<FolderTree>('/folders', {
          folders: [{ name: 'Outer', folders: [{ name: 'Inner', folders: [] }] }],
        })
      ).body;
      const [outer, inner] = [folders.at(-1)!.id, folders.at(-1)!.folders[0]!.id];
      const remove = async (id: string, if_empty: unknown = true) =>
        (await service.v2.patch('/folders', [{ op: 'remove', reference: { id }, if_empty }])).status;
      const before = (await service.v2.get<FolderTree>('/folders')).body.folders;
      expect(await remove(outer)).to.equal(412);
      const asset = await add({ folder: { id: inner } });
      expect(await remove(inner)).to.equal(412);
      expect(await remove(inner, 'true')).to.equal(400);
      // Nothing of the call is done.
      const several = [
        { op: 'rename', reference: { id: outer }, value: 'Renamed' },
        { op: 'remove', reference: { id: inner }, if_empty: true },
      ];
      expect((await service.v2.patch('/folders', several)).status).to.equal(412);
      expect((await service.v2.get<FolderTree>('/folders')).body.folders).to.deep.equal(before);
      expect((await service.v2.get<AssetJson>(`/assets/${asset.id}`)).body.folder).to.deep.equal({
        id: inner,
      });
      // A deleted asset is in no list, so it is in no way.
      await service.v2.delete(`/assets/${asset.id}`);
      expect(await remove(inner)).to.equal(200);
      expect(await remove(outer)).to.equal(200);
    });
  });
});
