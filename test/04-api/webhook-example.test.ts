/** The receiver that the documentation shows, run as it is there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { NotesService } from '../support/projects/notes-service.ts';

describe('the example of a receiver', () => {
  let notes: NotesService;
  let example: ChildProcess;
  let lines: AsyncIterator<string>;
  let url = '';

  before(async () => {
    notes = await NotesService.start({ environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' } });
    example = spawn(process.execPath, ['core/webhooks/example/receiver.mjs'], {
      env: { PATH: process.env['PATH'], PORT: '0', WEBHOOK_SECRET: 'a secret of mine' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (!example.stdout) throw new Error('The example has no output.');
    lines = createInterface(example.stdout)[Symbol.asyncIterator]();
    url = `http://127.0.0.1:${(await nextLine()).replace('listening on ', '')}/`;
  });
  after(async () => {
    await notes.stop();
    const gone = once(example, 'exit');
    example.kill();
    await gone;
  });

  const nextLine = async () => String((await lines.next()).value);

  it('accepts notifications signed with the old or the new secret, and refuses others', async () => {
    const webhook = await notes.run((transaction) =>
      addWebhook(transaction, {
        name: 'Example',
        url,
        secret: 'a secret of mine',
        contentChanges: [],
        workflowSteps: [],
      }),
    );
    const first = await notes.note('first');
    await notes.manage('PUT', `items/${first}/variants/codename/en/publish`);
    expect(await nextLine()).to.equal('content_item_variant publish first');
    await notes.admin('POST', `webhooks/${webhook.id}/rotate-secret`);
    await notes.manage('PUT', `items/${first}/variants/codename/en/unpublish`);
    expect(await nextLine()).to.equal('content_item_variant unpublish first');
    await notes.service.core.webhooks.settled();
    const forged = await fetch(url, {
      method: 'POST',
      headers: { 'x-svc-signature': Buffer.alloc(32).toString('base64') },
      body: '{"message":{"id":"1"},"data":{"items":[]}}',
    });
    expect(forged.status).to.equal(401);
  });
});
