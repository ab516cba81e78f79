/** Assets for people who edit: the list, what uses them, another file for the same asset, deleting and restoring. */
import { expect } from 'chai';
import { createAsset } from '../../core/assets/assets.ts';
import { replaceFolders } from '../../core/assets/folders.ts';
import type { AssetInput } from '../../core/model/inputs.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { storeFile } from '../support/projects/store-file.ts';

interface Asset {
  readonly id: string;
  readonly title: string | null;
  readonly file_name: string;
  readonly type: string;
  readonly url: string;
  readonly folder: string | null;
  readonly is_used: boolean;
  readonly descriptions: readonly {
    readonly language: { readonly codename: string };
    readonly description: string | null;
  }[];
}

interface List {
  readonly assets: readonly Asset[];
  readonly total: number;
  readonly unlisted: number;
  readonly pagination: { readonly next: string | null };
}

describe('admin API: assets', () => {
  let notes: NotesService;
  let admin: ApiClient;
  const ids = new Map<string, string>();

  before(async () => {
    notes = await NotesService.start({ unlimited: true });
    admin = createApiClient(`${notes.service.url}/admin/projects/${notes.project}`, {
      surface: 'admin',
      headers: { authorization: `Bearer ${notes.service.adminToken}`, 'content-type': 'application/json' },
    });
    const { folders } = await notes.run((transaction) =>
      replaceFolders(transaction, [{ name: 'Images', folders: [{ name: 'Rivers' }] }]),
    );
    const [images] = folders;
    ids.set('folder', images?.id ?? '');
    await add('a.png', { title: 'River bank', folder: { id: images?.folders[0]?.id ?? '' } });
    await add('B.png', {
      folder: { id: images?.id ?? '' },
      descriptions: [{ language: { codename: 'de' }, description: 'Brücke' }],
    });
    await add('c.pdf', { title: 'About rivers' });
    const files = { element: { codename: 'files' }, value: [{ id: ids.get('a.png') ?? '' }] };
    await notes.note('Note', ['en', 'de'], files);
    await notes.run((transaction) => publishVariant(transaction, { codename: 'note' }, { codename: 'en' }));
  });
  after(() => notes.stop());

  /** @returns the id of the file */
  const upload = (name: string, content = name) =>
    notes.run(async (transaction) => {
      const type = name.endsWith('.png') ? 'image/png' : 'application/pdf';
      const { blobs } = notes.service.core.operations;
      return (await storeFile(transaction, blobs, { name, type, content: Buffer.from(content) })).id;
    });

  async function add(name: string, more: Omit<AssetInput, 'file'>): Promise<void> {
    const file = await upload(name);
    const { id } = await notes.run((transaction) => createAsset(transaction, { file, ...more }));
    ids.set(name, id);
  }

  const list = async (query: string) => (await admin.get<List>(`/assets?${query}`)).body;
  const names = ({ assets }: List) => assets.map((asset) => asset.file_name);

  const lists: readonly [query: string, names: readonly string[], total: number][] = [
    ['order=name', ['c.pdf', 'B.png', 'a.png'], 3],
    ['order=name&descending=true&offset=1&limit=1', ['B.png'], 3],
    ['offset=1', ['B.png', 'a.png'], 3],
    ['type=document', ['c.pdf'], 1],
    ['type=image,document&order=size', ['a.png', 'B.png', 'c.pdf'], 3],
    ['unused=true', ['c.pdf', 'B.png'], 2],
    ['undescribed=de', ['c.pdf', 'a.png'], 2],
    ['folder=:folder', ['B.png', 'a.png'], 2],
    ['folder=00000000-0000-0000-0000-000000000000', ['c.pdf'], 1],
    ['text=river', ['c.pdf', 'a.png'], 2],
    ['text=bruc', ['B.png'], 1],
    ['text=ivers', ['c.pdf'], 1],
    ['text=:a.png', ['a.png'], 1],
  ];
  for (const [query, wanted, total] of lists)
    it(`lists '${query}'`, async () => {
      const answer = await list(query.replace(/:(.+)$/, (_, name) => ids.get(name) ?? ''));
      expect(names(answer)).to.deep.equal(wanted);
      expect(answer.total).to.equal(total);
      expect(answer.unlisted).to.equal(0);
    });

  it('is offered by the beginning of its name before newer ones that only have the word', async () => {
    const { body } = await admin.get<{ found: { name: string }[] }>('/find?text=river&kind=asset&limit=1');
    expect(body.found.map(({ name }) => name)).to.deep.equal(['River bank']);
  });

  it('refuses filters and orders that do not exist', async () => {
    for (const [query, status] of [
      ['type=drawing', 400],
      ['order=colour', 400],
      ['undescribed=xx', 404],
      ['offset=-1', 400],
    ] as const)
      expect((await admin.get(`/assets?${query}`)).status, query).to.equal(status);
  });

  it('counts what uses an asset', async () => {
    const users = async (name: string) => (await admin.get(`/assets/${ids.get(name)}/users`)).body;
    expect(await users('a.png')).to.deep.equal({ items: 1, variants: 2, published: 1 });
    expect(await users('c.pdf')).to.deep.equal({ items: 0, variants: 0, published: 0 });
  });

  it('gives an asset another file under the same id, which readers get; the old URL stays', async () => {
    const path = `assets/${ids.get('a.png')}`;
    const before = await notes.admin<Asset>('GET', path);
    const file_reference = { id: await upload('new.png', 'new content') };
    const replaced = await notes.admin<Asset>('PUT', `${path}/file`, { file_reference });
    expect(replaced.status).to.equal(200);
    expect(replaced.body).to.include({
      id: before.body.id,
      title: 'River bank',
      file_name: 'new.png',
      is_used: true,
    });
    const delivered = await fetch(`${notes.service.url}/delivery/${notes.project}/items/note`);
    const { item } = (await delivered.json()) as {
      item: { elements: { files: { value: { name: string; url: string }[] } } };
    };
    expect(item.elements.files.value).to.have.length(1);
    expect(item.elements.files.value[0]).to.include({ name: 'new.png', url: replaced.body.url });
    expect(await (await fetch(replaced.body.url)).text()).to.equal('new content');
    expect(await (await fetch(before.body.url)).text()).to.equal('a.png');
    expect(names(await list('text=new'))).to.deep.equal(['new.png']);
    const { body: audits } = await notes.admin<{ audit: { act: string }[] }>('GET', '/audit?limit=1');
    expect(audits.audit[0]?.act).to.equal('PUT projects/:project/assets/:asset/file');
  });

  it('refuses another file where the asset was changed meanwhile, and a file that does not exist', async () => {
    const path = `/assets/${ids.get('B.png')}`;
    const { headers } = await admin.get(path);
    const replace = (id: string, more = {}) =>
      admin.request('PUT', `${path}/file`, {
        body: JSON.stringify({ file_reference: { id } }),
        headers: more,
      });
    expect(await notes.manage('PUT', path.slice(1), { title: 'Theirs' })).to.equal(200);
    const old = { 'if-match': headers.get('etag') ?? '' };
    expect((await replace(await upload('b2.png'), old)).status).to.equal(412);
    expect((await replace('00000000-0000-4000-8000-000000000001')).status).to.equal(400);
    expect((await admin.get<Asset>(path)).body.file_name).to.equal('B.png');
  });

  it('restores a deleted asset', async () => {
    const path = `assets/${ids.get('c.pdf')}`;
    const { url } = (await notes.admin<Asset>('GET', path)).body;
    expect((await notes.admin('POST', `${path}/restore`)).status).to.equal(404);
    expect(await notes.manage('DELETE', path)).to.equal(204);
    expect((await list('')).total).to.equal(2);
    expect((await fetch(url)).status).to.equal(404);
    expect((await notes.admin('POST', `${path}/restore`)).status).to.equal(204);
    expect((await list('type=document')).total).to.equal(1);
    expect((await fetch(url)).status).to.equal(200);
  });
});
