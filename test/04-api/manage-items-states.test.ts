import { expect } from 'chai';
import { createType } from '../../core/content/types.ts';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

interface Report {
  readonly project: { readonly id: string; readonly name: string };
  readonly variant_issues: readonly {
    readonly item: { readonly codename: string };
    readonly language: { readonly codename: string };
    readonly issues: readonly {
      readonly element: { readonly codename: string };
      readonly messages: readonly string[];
    }[];
  }[];
  readonly type_issues?: readonly unknown[];
}

describe('management v2: from draft to public', () => {
  let service: ManageService;
  let count = 0;

  const path = (item: string) => `/items/codename/${item}/variants/codename/en-US`;
  const move = (item: string, name: string, body?: unknown) =>
    service.v2.put<ManageError>(`${path(item)}/${name}`, body);
  const write = (item: string, title: string) =>
    service.v2.put<ManageError>(path(item), { elements: [{ element: { codename: 'title' }, value: title }] });
  const shown = async (item: string) => {
    const read = async (client: ManageService['delivery']) => {
      const { status, body } = await client.get<{ item: { elements: Record<string, { value: unknown }> } }>(
        `/items/${item}`,
      );
      return status === 200 ? body.item.elements['title']!.value : null;
    };
    return { delivery: await read(service.delivery), preview: await read(service.preview) };
  };
  const step = async (item: string) => {
    const steps = (await service.v2.get<{ id: string; name: string }[]>('/workflow')).body;
    const { body } = await service.v2.get<{
      workflow_step: { id: string };
      workflow: { step_identifier: unknown };
    }>(path(item));
    expect(body.workflow.step_identifier).to.deep.equal(body.workflow_step);
    return steps.find(({ id }) => id === body.workflow_step.id)?.name;
  };
  const schedule = async (item: string) =>
    (await service.v2.get<{ schedule: unknown }>(path(item))).body.schedule;
  const scheduledTo = (time: string | null) => ({
    publish_time: time,
    publish_display_timezone: null,
    unpublish_time: null,
    unpublish_display_timezone: null,
  });

  async function draft(): Promise<string> {
    const codename = `piece_${++count}`;
    await service.v2.post('/items', { name: codename, codename, type: { codename: 'article' } });
    await write(codename, 'first');
    return codename;
  }

  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  it('publish, new version, change, publish again', async () => {
    const item = await draft();
    expect([await step(item), await shown(item)]).to.deep.equal([
      'Draft',
      { delivery: null, preview: 'first' },
    ]);
    const published = await move(item, 'publish');
    expect([published.status, published.text]).to.deep.equal([204, '']);
    expect([await step(item), await shown(item)]).to.deep.equal([
      'Published',
      { delivery: 'first', preview: 'first' },
    ]);
    expect((await write(item, 'second')).status).to.equal(400);
    expect((await move(item, 'new-version')).status).to.equal(204);
    expect(await step(item)).to.equal('Draft');
    await write(item, 'second');
    expect(await shown(item)).to.deep.equal({ delivery: 'first', preview: 'second' });
    await move(item, 'publish', {});
    expect(await shown(item)).to.deep.equal({ delivery: 'second', preview: 'second' });
  });

  it('unpublish leaves the content as a draft', async () => {
    const item = await draft();
    await move(item, 'publish');
    expect((await move(item, 'unpublish')).status).to.equal(204);
    expect([await step(item), await shown(item)]).to.deep.equal([
      'Draft',
      { delivery: null, preview: 'first' },
    ]);
  });

  it('unpublish-and-archive removes it from every surface', async () => {
    const item = await draft();
    await move(item, 'publish');
    expect((await move(item, 'unpublish-and-archive')).status).to.equal(204);
    expect(await shown(item)).to.deep.equal({ delivery: null, preview: null });
    expect((await service.v2.get(path(item))).status).to.equal(404);
  });

  it('unpublishing at a time is refused and changes nothing; without one it is done at once', async () => {
    for (const path of ['unpublish', 'unpublish-and-archive'] as const) {
      const item = await draft();
      await move(item, 'publish');
      const refused = await move(item, path, { scheduled_to: '2099-01-01T00:00:00Z' });
      expect([refused.status, refused.body.error_code], path).to.deep.equal([400, 5]);
      expect(refused.body.validation_errors![0]).to.include({ path: 'scheduled_to', line: 1 });
      expect(await shown(item)).to.deep.equal({ delivery: 'first', preview: 'first' });
      expect((await move(item, path, { scheduled_to: null })).status).to.equal(204);
      expect((await shown(item)).delivery).to.equal(null);
    }
  });

  it('a schedule is set, shown and canceled', async () => {
    const item = await draft();
    const time = { scheduled_to: '2099-01-01T00:00:00+02:00' };
    expect((await move(item, 'publish', time)).status).to.equal(204);
    expect([await step(item), await shown(item)]).to.deep.equal([
      'Scheduled',
      { delivery: null, preview: 'first' },
    ]);
    expect(await schedule(item)).to.deep.equal(scheduledTo('2098-12-31T22:00:00.0000000Z'));
    expect((await move(item, 'cancel-scheduled-publish')).status).to.equal(204);
    expect([await step(item), await schedule(item)]).to.deep.equal(['Draft', scheduledTo(null)]);
  });

  it('a time that has passed publishes at once', async () => {
    const item = await draft();
    await move(item, 'publish', { scheduled_to: '2001-01-01T00:00:00Z' });
    expect(await step(item)).to.equal('Published');
  });

  it('moves to the step it is in do nothing; a draft can be archived', async () => {
    const item = await draft();
    const steps = (await service.v2.get<{ id: string; name: string }[]>('/workflow')).body;
    const id = (name: string) => steps.find((one) => one.name === name)!.id;
    expect((await move(item, `workflow/${id('Draft')}`)).status).to.equal(204);
    expect((await move(item, 'workflow/codename/draft')).status).to.equal(204);
    expect((await move(item, `workflow/${id('Archived')}`)).status).to.equal(204);
    expect((await service.v2.get(path(item))).status).to.equal(404);
  });

  describe('what is refused', () => {
    const CALLS: readonly (readonly [
      state: 'draft' | 'published',
      call: string,
      body: unknown,
      status: number,
      code: number,
    ])[] = [
      ['draft', 'unpublish', undefined, 400, 213],
      ['draft', 'unpublish-and-archive', undefined, 400, 213],
      ['draft', 'new-version', undefined, 400, 214],
      ['draft', 'workflow/codename/published', undefined, 400, 215],
      ['draft', 'workflow/codename/scheduled', undefined, 400, 0],
      ['draft', 'workflow/codename/nothing', undefined, 404, 105],
      ['draft', 'cancel-scheduled-publish', undefined, 400, 218],
      ['draft', 'publish', { scheduled_to: '2019-07-:00:00+01:00' }, 400, 5],
      ['draft', 'publish', { scheduled_to: 5 }, 400, 5],
      ['draft', 'publish', [], 400, 5],
      ['draft', 'publish', '{"scheduled_to":', 400, 5],
      ['published', 'workflow/codename/draft', undefined, 400, 0],
      ['published', 'workflow/codename/archived', undefined, 400, 0],
      ['published', 'publish', { scheduled_to: '2099-01-01T00:00:00Z' }, 400, 0],
    ];
    for (const [state, call, body, status, code] of CALLS) {
      it(`${call} of a ${state}${body === undefined ? '' : ` with ${JSON.stringify(body)}`}: ${status}, ${code}`, async () => {
        const item = await draft();
        if (state === 'published') await move(item, 'publish');
        const answer = await move(item, call, body);
        expect([answer.status, answer.body.error_code]).to.deep.equal([status, code]);
        expect(await step(item)).to.equal(state === 'draft' ? 'Draft' : 'Published');
      });
    }

    it('of what is not there: 404 with 100 or 103', async () => {
      expect((await move('nothing', 'publish')).body.error_code).to.equal(100);
      const { body } = await service.v2.put<ManageError>(
        '/items/codename/memo/variants/codename/de-DE/publish',
      );
      expect(body.error_code).to.equal(103);
    });
  });

  it('validation finds what drafts may have', async () => {
    await service.service.core.operations.inProject(service.project.id, null, async (transaction) => {
      await createType(transaction, {
        name: 'Strict',
        elements: [
          { type: 'text', name: 'Needed', is_required: true },
          { type: 'rich_text', name: 'Words', is_required: true },
          {
            type: 'modular_content',
            name: 'Many',
            item_count_limit: { value: 2, condition: 'at_least' },
          },
        ],
      });
    });
    await service.v2.post('/items', { name: 'strict', type: { codename: 'strict' } });
    await service.v2.put(path('strict'), {
      elements: [{ element: { codename: 'many' }, value: [{ external_id: 'nowhere' }] }],
    });
    const { status, body } = await service.v2.post<Report>('/validate');
    expect(status).to.equal(200);
    expect(body.project).to.deep.equal({ id: service.project.id, name: 'Harbour' });
    expect(body.type_issues).to.deep.equal([]);
    const found = body.variant_issues.find(({ item }) => item.codename === 'strict')!;
    expect(found.language.codename).to.equal('en-US');
    expect(found.issues.map(({ element, messages }) => [element.codename, messages.length])).to.deep.equal([
      ['needed', 1],
      ['words', 1],
      ['many', 2],
    ]);
  });
});
