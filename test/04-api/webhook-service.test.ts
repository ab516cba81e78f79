/** Webhooks of the whole service with the settings it comes with. */
import { expect } from 'chai';
import { publishVariant } from '../../core/publishing/publish.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { answering, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

describe('webhooks of the service', () => {
  let receiver: Receiver;
  let notes: NotesService | undefined;

  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await notes?.stop();
    await receiver.close();
  });

  async function publishOne(
    environment: Readonly<Record<string, string>>,
    urls: readonly string[],
  ): Promise<NotesService> {
    const started = await NotesService.start({ environment });
    notes = started;
    await started.run(async (transaction) => {
      for (const url of urls)
        await addWebhook(transaction, { name: 'Site', url, contentChanges: [], workflowSteps: [] });
    });
    const id = await started.note('first');
    await started.run((transaction) => publishVariant(transaction, { id }, { codename: 'en' }));
    await started.service.core.webhooks.settled();
    return started;
  }

  it('reach nothing on this machine unless the operator permits it, and say so', async () => {
    const { service } = await publishOne({}, [`http://localhost:${receiver.port}/a`]);
    expect(receiver.record.length).to.equal(0);
    const [attempt] = await service.core.operations.storage.sql.all<{ error: string }>(
      'SELECT error FROM webhook_attempt',
    );
    expect(attempt?.error).to.match(
      /^localhost has the address (127\.0\.0\.1|::1), which is not on the public internet\./,
    );
    expect(attempt?.error).to.contain('webhooks.allow');
  });

  it('that chose `restore` receive `restore_publish` when published content is restored', async () => {
    notes = await NotesService.start({ environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' } });
    const id = await notes.note('first', ['en', 'de']);
    for (const codename of ['en', 'de'])
      await notes.run((transaction) => publishVariant(transaction, { id }, { codename }));
    await notes.run(async (transaction) => {
      for (const type of ['content_item', 'content_item_variant'])
        await addWebhook(transaction, {
          name: type,
          url: `${receiver.url}/${type}`,
          contentChanges: [{ type, operations: ['restore'] }],
          workflowSteps: [],
        });
    });
    for (const path of [`items/${id}`, `items/${id}/variants/00000000-0000-0000-0000-000000000000`])
      for (const act of ['archive', 'restore'])
        expect((await notes.admin('POST', `${path}/${act}`)).status).to.equal(204);
    await notes.service.core.webhooks.settled();
    expect(
      receiver.record.map(({ path, body }) => [path.slice(1), JSON.parse(body).message.operation]),
    ).to.have.deep.members([
      ['content_item', 'restore_publish'],
      ['content_item_variant', 'restore_publish'],
    ]);
  });

  it('have metrics', async () => {
    receiver.behave('/ill', answering(500));
    const { service } = await publishOne({ HEADWATER_WEBHOOKS__ALLOW: 'localhost, 127.0.0.1' }, [
      `http://localhost:${receiver.port}/well`,
      `${receiver.url}/ill`,
    ]);
    const text = await service.metrics();
    for (const line of [
      'headwater_webhook_delivered_total 1',
      'headwater_webhook_failed_attempts_total 1',
      'headwater_webhook_dropped_total 0',
      'headwater_webhook_lag_count_total 1',
      'headwater_webhook_under_way 0',
      'headwater_webhook_busy_lanes 0',
      'headwater_webhook_blocked_lanes 1',
    ])
      expect(text.split('\n')).to.include(line);
  });
});
