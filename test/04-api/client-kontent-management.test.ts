/**
 * The published management client, unmodified, through a whole import into an empty project: model, files,
 * content that refers to what is not there yet, publishing, listings, changes, deletion.
 */
import { ManagementClient } from '@kentico/kontent-management';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createApiClient } from '../support/clients/api-client.ts';
import { managementKey } from '../support/projects/manage-service.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const COMPONENT = '0badcafe-0000-4000-8000-000000000001';
const TEXT = Buffer.from('Opening hours: always');

interface Failure {
  readonly errorCode: number;
  readonly message: string;
  readonly validationErrors: readonly { readonly message: string }[];
}

describe('client @kentico/kontent-management 0.3.20', () => {
  let service: RunningService;
  let client: ManagementClient;
  let project: string;
  let config: ConstructorParameters<typeof ManagementClient>[0];

  before(async () => {
    service = await startService({
      unlimited: true,
      environment: { HEADWATER_VENDOR_HEADER: 'KC', HEADWATER_VENDOR_MEDIA_TYPE: 'kenticocloud' },
    });
    const made = await service.core.operations.installation(null, (at) =>
      createProject(at, { name: 'Imported', default_language: { name: 'English', codename: 'en-US' } }),
    );
    project = made.id;
    const { key } = await managementKey(service.core, project);
    config = {
      projectId: project,
      apiKey: key,
      baseUrl: `${service.url}/manage/v2/projects`,
      retryStrategy: {
        maxAttempts: 0,
        maxCumulativeWaitTimeMs: 1,
        deltaBackoffMs: 1,
        addJitter: false,
        canRetryError: () => false,
      },
    };
    client = new ManagementClient(config);
  });
  after(() => service.stop());

  /** Of a call that must not be refused, with all findings in the error. */
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    try {
      return await promise;
    } catch (error) {
      const { message, validationErrors } = error as Failure;
      throw new Error([message, ...(validationErrors ?? []).map((one) => one.message)].join(' '));
    }
  };
  const refusal = async (promise: Promise<unknown>): Promise<Failure> => {
    try {
      await promise;
    } catch (error) {
      return error as Failure;
    }
    throw new Error('The call was not refused.');
  };

  it('reads the project and its workflow', async () => {
    const info = await client.projectInformation().toPromise();
    expect(info.data.project).to.include({ id: project, name: 'Imported' });
    const steps = await client.listWorkflowSteps().toPromise();
    expect(steps.data.map(({ name }) => name)).to.include.members(['Draft', 'Published']);
  });

  it('adds, changes and lists languages', async () => {
    const { data } = await client
      .addLanguage()
      .withData({ name: 'Spanish', codename: 'es', is_active: true, external_id: 'lang-es' })
      .toPromise();
    expect(data).to.include({ name: 'Spanish', codename: 'es', isActive: true, isDefault: false });
    const changed = await client
      .modifyLanguage()
      .byExternalId('lang-es')
      .withData([{ op: 'replace', property_name: 'name', value: 'Spanish (Spain)' }])
      .toPromise();
    expect(changed.data.name).to.equal('Spanish (Spain)');
    const listed = await client.listLanguages().toPromise();
    expect(listed.data.items.map(({ codename }) => codename)).to.deep.equal(['en-US', 'es']);
    expect(listed.data.items[1]!.fallbackLanguage?.id).to.equal(listed.data.items[0]!.id);
  });

  it('adds and changes taxonomy groups', async () => {
    const { data } = await client
      .addTaxonomy()
      .withData({
        name: 'Topics',
        external_id: 'topics',
        terms: [{ name: 'Boats', external_id: 'boats', terms: [{ name: 'Sailing', terms: [] }] }],
      })
      .toPromise();
    expect(data.terms[0]!.terms[0]!.codename).to.equal('sailing');
    const changed = await client
      .modifyTaxonomy()
      .byTaxonomyExternalId('topics')
      .withData([
        { op: 'addInto', reference: { codename: 'boats' }, value: { name: 'Electric', terms: [] } },
        { op: 'replace', property_name: 'name', value: 'All topics' },
      ])
      .toPromise();
    expect(changed.data.terms[0]!.terms.map(({ codename }) => codename)).to.deep.equal([
      'sailing',
      'electric',
    ]);
    const listed = await client.listTaxonomies().toPromise();
    expect(listed.data.taxonomies.map(({ name }) => name)).to.deep.equal(['All topics']);
  });

  it('adds snippets and types with its builders', async () => {
    await client
      .addContentTypeSnippet()
      .withData((builder) => ({
        name: 'Metadata',
        external_id: 'metadata',
        elements: [builder.textElement({ name: 'Meta title', type: 'text' })],
      }))
      .toPromise();
    await client
      .addContentType()
      .withData((builder) => ({
        name: 'Note',
        elements: [builder.textElement({ name: 'Text', type: 'text', codename: 'text' })],
      }))
      .toPromise();
    const { data } = await client
      .addContentType()
      .withData((builder) => ({
        name: 'Article',
        external_id: 'article',
        content_groups: [{ name: 'Copy', external_id: 'copy' }],
        elements: [
          builder.textElement({
            name: 'Title',
            type: 'text',
            external_id: 'title',
            // The client's own types spell it so.
            maximum_text_length: { value: 60, applied_to: 'characters' },
            content_group: { external_id: 'copy' },
          }),
          builder.richTextElement({
            name: 'Body',
            type: 'rich_text',
            content_group: { external_id: 'copy' },
          }),
          builder.numberElement({ name: 'Price', type: 'number' }),
          builder.dateTimeElement({ name: 'Opened', type: 'date_time' }),
          builder.multipleChoiceElement({
            name: 'State',
            type: 'multiple_choice',
            mode: 'multiple',
            options: [{ name: 'New' }, { name: 'Used' }],
          }),
          builder.assetElement({ name: 'Files', type: 'asset' }),
          builder.linkedItemsElement({
            name: 'Related',
            type: 'modular_content',
            item_count_limit: { value: 5, condition: 'at_most' },
          }),
          builder.taxonomyElement({
            type: 'taxonomy',
            codename: 'topics',
            taxonomy_group: { external_id: 'topics' },
          }),
          builder.urlSlugElement({
            name: 'Slug',
            type: 'url_slug',
            codename: 'slug',
            depends_on: { element: { external_id: 'title' } },
          }),
          builder.guidelinesElement({ type: 'guidelines', guidelines: '<p>Advice</p>' }),
          builder.customElement({ name: 'Map', type: 'custom', source_url: 'https://example.com' }),
          builder.snippetElement({ type: 'snippet', codename: 'meta', snippet: { external_id: 'metadata' } }),
        ],
      }))
      .toPromise();
    expect(data.elements).to.have.length(12);
    expect(data.contentGroups?.map(({ name }) => name)).to.deep.equal(['Copy']);
    expect(data._raw.elements[0]).to.deep.include({
      maximum_text_length: { value: 60, applies_to: 'characters' },
    });
    const changed = await client
      .modifyContentType()
      .byTypeCodename('article')
      .withData([
        { op: 'replace', path: '/name', value: 'Harbour article' },
        { op: 'replace', path: '/codename', value: 'article' },
        { op: 'addInto', path: '/elements/codename:state/options', value: { name: 'Sold' } },
      ])
      .toPromise();
    expect(changed.data).to.include({ name: 'Harbour article', codename: 'article' });
    const listed = await client.listContentTypes().toAllPromise();
    expect(listed.data.items.map(({ codename }) => codename)).to.deep.equal(['note', 'article']);
  });

  it('makes items and variants that refer to what comes later', async () => {
    const item = await client
      .addContentItem()
      .withData({ name: 'Lighthouse', type: { codename: 'article' }, external_id: 'lighthouse' })
      .toPromise();
    expect(item.data).to.include({ codename: 'lighthouse', externalId: 'lighthouse' });
    const variant = await settled(
      client
        .upsertLanguageVariant()
        .byItemExternalId('lighthouse')
        .byLanguageCodename('en-US')
        .withElements([
          { element: { codename: 'title' }, value: 'The lighthouse' },
          {
            element: { codename: 'body' },
            value:
              '<p>See <a data-item-external-id="ferry">the ferry</a></p>' +
              '<figure data-asset-external-id="hours"></figure>' +
              '<object type="application/kenticocloud" data-type="item" data-external-id="ferry"></object>' +
              `<object type="application/kenticocloud" data-type="component" data-id="${COMPONENT}"></object>`,
            components: [
              {
                id: COMPONENT,
                type: { codename: 'note' },
                elements: [{ element: { codename: 'text' }, value: 'Inside' }],
              },
            ],
          } as never,
          { element: { codename: 'price' }, value: 8.5 },
          { element: { codename: 'opened' }, value: '2019-01-01T00:00:00Z' },
          { element: { codename: 'state' }, value: [{ codename: 'sold' }] },
          { element: { codename: 'files' }, value: [{ external_id: 'hours' }] },
          { element: { codename: 'related' }, value: [{ external_id: 'ferry' }] },
          { element: { codename: 'topics' }, value: [{ codename: 'sailing' }] },
          { element: { codename: 'slug' }, value: 'light' },
          { element: { codename: 'metadata__meta_title' }, value: 'Light' },
        ])
        .toPromise(),
    );
    expect(variant.data.workflowStep.id).to.be.a('string');
    expect(variant.data.elements).to.have.length(11);
    const ferry = await client
      .upsertContentItem()
      .byItemExternalId('ferry')
      .withData({ name: 'Ferry', type: { codename: 'article' } } as never)
      .toPromise();
    expect(ferry.data.codename).to.equal('ferry');
    await client
      .upsertLanguageVariant()
      .byItemCodename('ferry')
      .byLanguageCodename('en-US')
      .withElementCodenames([{ codename: 'title', value: 'The ferry' }])
      .toPromise();
  });

  it('uploads a file and makes the asset that content waits for', async () => {
    const file = await client
      .uploadBinaryFile()
      .withData({
        binaryData: TEXT,
        contentType: 'text/plain',
        contentLength: TEXT.length,
        filename: 'hours.txt',
      })
      .toPromise();
    expect(file.data.type).to.equal('internal');
    const asset = await client
      .upsertAsset()
      .byAssetExternalId('hours')
      .withData({
        title: 'Hours',
        file_reference: { id: file.data.id, type: 'internal' },
        descriptions: [{ language: { codename: 'es' }, description: 'Horario' }],
      })
      .toPromise();
    expect(asset.data).to.include({ fileName: 'hours.txt', title: 'Hours', externalId: 'hours' });
    expect(asset.data.size).to.equal(TEXT.length);
    expect(await (await fetch(asset.data.url)).text()).to.equal(TEXT.toString());
    const listed = await client.listAssets().toAllPromise();
    expect(listed.data.items.map(({ fileName }) => fileName)).to.deep.equal(['hours.txt']);
  });

  it('publishes, and readers get what was imported', async () => {
    for (const codename of ['lighthouse', 'ferry']) {
      await client
        .publishOrScheduleLanguageVariant()
        .byItemCodename(codename)
        .byLanguageCodename('en-US')
        .withoutData()
        .toPromise();
    }
    const delivery = createApiClient(`${service.url}/delivery/${project}`, { surface: 'delivery' });
    const { body } = await delivery.get<{
      item: { elements: Record<string, { value: unknown }> };
      modular_content: Record<string, unknown>;
    }>('/items/lighthouse');
    const { elements } = body.item;
    expect(elements['related']!.value).to.deep.equal(['ferry']);
    expect(elements['body']!.value).to.contain('data-rel="component"').and.to.contain('>the ferry</a>');
    expect(elements['files']!.value).to.have.length(1);
    expect(Object.keys(body.modular_content)).to.include('ferry');
  });

  it('refuses to change what is published, until it has a new version', async () => {
    const upsert = () =>
      client
        .upsertLanguageVariant()
        .byItemCodename('ferry')
        .byLanguageCodename('en-US')
        .withElementCodenames([{ codename: 'title', value: 'The new ferry' }])
        .toPromise();
    expect((await refusal(upsert())).errorCode).to.be.a('number');
    await client
      .createNewVersionOfLanguageVariant()
      .byItemCodename('ferry')
      .byLanguageCodename('en-US')
      .toPromise();
    await upsert();
    await client
      .unpublishLanguageVariant()
      .byItemCodename('lighthouse')
      .byLanguageCodename('en-US')
      .toPromise();
  });

  it('lists items and variants page by page', async () => {
    for (let made = 0; made < 120; made += 1) {
      await client
        .addContentItem()
        .withData({ name: `Note ${made}`, type: { codename: 'note' } })
        .toPromise();
    }
    const all = await client.listContentItems().toAllPromise();
    expect(all.data.items).to.have.length(122);
    expect(all.responses).to.have.length(2);
    const variants = await client.listLanguageVariantsOfContentType().byTypeCodename('article').toPromise();
    expect(variants.data.items).to.have.length(2);
    const ofItem = await client.listLanguageVariantsOfItem().byItemCodename('lighthouse').toPromise();
    expect(ofItem.data.items).to.have.length(1);
  });

  it('keeps folders and webhooks', async () => {
    await client
      .addAssetFolders()
      .withData({ folders: [{ name: 'Top', external_id: 'top', folders: [] }] })
      .toPromise();
    const folders = await client
      .modifyAssetFolders()
      .withData([
        { op: 'addInto', reference: { external_id: 'top' }, value: { name: 'Inner', folders: [] } },
        { op: 'rename', reference: { external_id: 'top' }, value: 'Renamed' as never },
      ])
      .toPromise();
    expect(folders.data.items[0]!.name).to.equal('Renamed');
    expect(folders.data.items[0]!.folders[0]!.name).to.equal('Inner');
    const webhook = await client
      .addWebhook()
      .withData({
        name: 'Site',
        url: 'https://example.com/hook',
        secret: 'shared',
        triggers: {
          delivery_api_content_changes: [{ type: 'content_item_variant', operations: ['publish'] }],
          workflow_step_changes: [],
        },
      })
      .toPromise();
    const listed = await client.listWebhooks().toPromise();
    expect(listed.data.webhooks.map(({ id }) => id)).to.deep.equal([webhook.data.id]);
    await client.deleteWebhook().byId(webhook.data.id).toPromise();
  });

  it('validates the project', async () => {
    const { data } = await client.validateProjectContent().forProjectId(project).toPromise();
    expect(data.project.id).to.equal(project);
  });

  it('gets errors it can read', async () => {
    const missing = await refusal(client.viewContentType().byTypeCodename('none').toPromise());
    expect(missing.errorCode).to.equal(105);
    const invalid = await refusal(
      client
        .addTaxonomy()
        .withData({ name: '', terms: [{ name: '', terms: [] }] })
        .toPromise(),
    );
    expect(invalid.errorCode).to.equal(5);
    expect(invalid.validationErrors.map(({ message }) => message)).to.have.length(2);
    const unauthorized = new ManagementClient({ ...config, apiKey: 'unknown' });
    expect((await refusal(unauthorized.listContentTypes().toPromise())).errorCode).to.equal(3);
  });

  it('deletes it all again', async () => {
    const items = await client.listContentItems().toAllPromise();
    for (const { id } of items.data.items) await client.deleteContentItem().byItemId(id).toPromise();
    await client.deleteAsset().byAssetExternalId('hours').toPromise();
    expect((await client.listContentItems().toPromise()).data.items).to.deep.equal([]);
    expect((await client.listAssets().toPromise()).data.items).to.deep.equal([]);
    for (const codename of ['article', 'note']) {
      await client.deleteContentType().byTypeCodename(codename).toPromise();
    }
    await client.deleteContentTypeSnippet().byTypeCodename('metadata').toPromise();
    await client.deleteTaxonomy().byTaxonomyExternalId('topics').toPromise();
    expect((await client.listContentTypes().toPromise()).data.items).to.deep.equal([]);
  });
});
