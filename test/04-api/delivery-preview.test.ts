import { expect } from 'chai';
import { createApiClient } from '../support/clients/api-client.ts';
import { PUBLISHED } from '../support/projects/harbour-project.ts';
import {
  codenames,
  type ErrorBody,
  type HarbourService,
  type Listing,
  type Single,
  startHarbour,
} from '../support/projects/harbour-service.ts';

describe('preview: the latest versions', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  it('shows drafts and newer versions, delivery the published ones (spec 4.1)', async () => {
    const { body } = await service.preview.get<Listing>('/items');
    expect(codenames(body)).to.deep.equal([...PUBLISHED, 'hidden'].sort());
    const anchor = async (client: HarbourService['delivery']) =>
      (await client.get<Single>('/items/anchor')).body.item.elements['title']!.value;
    expect(await anchor(service.preview)).to.equal('Anchor, new');
    expect(await anchor(service.delivery)).to.equal('Anchor');
  });

  it('filters and orders by what it shows', async () => {
    const { body } = await service.preview.get<Listing>('/items?elements.title=Anchor, new');
    expect(codenames(body)).to.deep.equal(['anchor']);
    expect((await service.preview.get<Listing>('/items?elements.title=Anchor')).body.items).to.deep.equal([]);
    expect(
      (await service.delivery.get<Listing>('/items?elements.title=Anchor, new')).body.items,
    ).to.deep.equal([]);
  });

  it('includes linked drafts, and resolves their links', async () => {
    const { body } = await service.preview.get<Single>('/items/lighthouse');
    expect(body.modular_content).to.have.property('hidden');
    const links = Object.values(body.item.elements['body']!['links'] as Record<string, { codename: string }>);
    expect(links.map(({ codename }) => codename).sort()).to.deep.equal(['harbour', 'hidden']);
    const { body: published } = await service.delivery.get<Single>('/items/lighthouse');
    expect(published.modular_content).not.to.have.property('hidden');
    expect(published.item.elements['related']!.value).to.deep.equal(['ferry', 'hidden']);
  });

  it('leads to its own next page', async () => {
    const { body } = await service.preview.get<Listing>('/items?limit=3');
    expect(body.pagination.next_page).to.equal(`${service.preview.baseUrl}/items?limit=3&skip=3`);
    const next = await service.preview.get<Listing>(body.pagination.next_page);
    expect(codenames(next.body)).to.deep.equal(['hidden', 'lighthouse', 'memo']);
  });

  describe('keys (spec 5)', () => {
    const KEYS: readonly (readonly [title: string, headers: Record<string, string>])[] = [
      ['no key', {}],
      ['an empty key', { authorization: 'Bearer ' }],
      ['an unknown key', { authorization: 'Bearer not-a-key-of-anybody' }],
      ['another scheme', { authorization: 'Basic abc' }],
    ];
    for (const [title, headers] of KEYS) {
      it(`${title} is 401 with code 3`, async () => {
        const client = createApiClient(service.preview.baseUrl, { surface: 'preview', headers });
        for (const path of ['/items', '/items/lighthouse', '/items/unknown', '/types', '/nothing']) {
          const { status, body } = await client.get<ErrorBody>(path);
          expect([status, body.error_code], path).to.deep.equal([401, 3]);
        }
      });
    }

    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      it(`accepts the scheme as ${scheme}`, async () => {
        const headers = { authorization: `${scheme} ${service.project.previewKey}` };
        const client = createApiClient(service.preview.baseUrl, { surface: 'preview', headers });
        expect((await client.get('/items?limit=1')).status).to.equal(200);
      });
    }

    it('a key of another project is 403 with code 4, also for a project that does not exist', async () => {
      const { TwinProject } = await import('../support/random/twin-project.ts');
      const other = await TwinProject.create(service.service.core, 'Other', 'service');
      const headers = { authorization: `Bearer ${other.previewKey}` };
      const client = createApiClient(service.preview.baseUrl, { surface: 'preview', headers });
      const { status, body } = await client.get<ErrorBody>('/items');
      expect([status, body.error_code]).to.deep.equal([403, 4]);
    });

    it('delivery needs none, and ignores one', async () => {
      for (const authorization of ['Bearer nonsense', 'Basic abc', `Bearer ${service.project.previewKey}`]) {
        expect(
          (await service.delivery.get('/items?limit=1', { headers: { authorization } })).status,
        ).to.equal(200);
      }
    });
  });
});
