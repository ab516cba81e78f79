import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { kindOf, maskOf, pairOf, WORKFLOW_STEP_KIND } from '../../core/webhooks/event-kinds.ts';
import { type Message, messageId } from '../../core/webhooks/message.ts';
import { createPrepare, signingSecrets } from '../../core/webhooks/prepare.ts';
import { WorkerError, type Workers } from '../../workers/contract.ts';
import { prepareNotification } from '../../workers/webhooks/prepare-notification.ts';
import { signBody } from '../../workers/webhooks/sign-body.ts';

const MESSAGE: Message = {
  id: '790b5fea-febe-4421-b8e7-d333afc60136',
  type: 'content_item_variant',
  operation: 'publish',
  apiName: 'delivery_production',
  projectId: 'b259760f-81c5-013a-05e7-69efb4b954e5',
  created: '2020-03-13T08:05:07.4044893Z',
  url: 'https://example.com/hook',
  items: [
    {
      id: 'f0e9e9fa-91e8-40d5-9527-b7e0ae51fc54',
      codename: 'christian_bale',
      language: 'en',
      type: 'actor',
    },
  ],
  taxonomies: [],
};
const prepare = (changes: object = {}, secrets: readonly string[] = ['secret']) =>
  prepareNotification({
    message: MESSAGE,
    body: null,
    secrets,
    timestamp: Math.floor(Date.now() / 1000),
    vendor: 'SVC',
    standardHeaders: true,
    mark: null,
    ...changes,
  });

describe('webhooks: body and headers of a notification', () => {
  it('are compact JSON with keys in a fixed order', () => {
    expect(prepare().body).to.equal(
      '{"message":{"id":"790b5fea-febe-4421-b8e7-d333afc60136","project_id":"b259760f-81c5-013a-05e7-69efb4b954e5","type":"content_item_variant","operation":"publish","api_name":"delivery_production","created_timestamp":"2020-03-13T08:05:07.4044893Z","webhook_url":"https://example.com/hook"},"data":{"items":[{"id":"f0e9e9fa-91e8-40d5-9527-b7e0ae51fc54","codename":"christian_bale","language":"en","type":"actor"}],"taxonomies":[]}}',
    );
  });

  it('repeat the message in headers, under the name of the vendor', () => {
    const { headers } = prepare({ vendor: 'KC', standardHeaders: false });
    expect(Object.keys(headers).sort()).to.deep.equal([
      'content-type',
      'x-kc-message-api-name',
      'x-kc-message-created-timestamp',
      'x-kc-message-id',
      'x-kc-message-operation',
      'x-kc-message-project-id',
      'x-kc-message-type',
      'x-kc-message-webhook-url',
      'x-kc-signature',
    ]);
    expect(headers['x-kc-message-id']).to.equal(MESSAGE.id);
    expect(headers['content-type']).to.equal('application/json');
  });

  // A published example: its body printed with CR LF; the key is the secret as text.
  it('are signed as the published vectors are', () => {
    const item = { id: 'f0e9e9fa-91e8-40d5-9527-b7e0ae51fc54', codename: 'christian_bale' };
    const message = {
      id: MESSAGE.id,
      project_id: MESSAGE.projectId,
      type: MESSAGE.type,
      operation: MESSAGE.operation,
      api_name: MESSAGE.apiName,
      created_timestamp: MESSAGE.created,
      webhook_url: 'https://enxkdw8lvglue.x.pipedream.net/',
    };
    const bodyOf = (items: readonly object[]) =>
      JSON.stringify({ data: { items, taxonomies: [] }, message }, null, 2).replaceAll('\n', '\r\n');
    const secret = '4INSnqn9ZA9pOWHpRySS+rsEqL6qHF3CIAftipJeuDc=';
    const rest = { language: 'en', type: 'actor' };
    expect(signBody(secret, bodyOf([{ ...item, ...rest }]))).to.equal(
      'eOgrznqBtHRbFzp1NZsirKAqe7d8SiPf2Dns+Ib6Aso=',
    );
    expect(signBody(secret, bodyOf([{ ...item, collection: 'default', ...rest }]))).to.equal(
      '5+vhM4vWobuiwGyLSGqOL7KwXnaQXISzuKUxhI4xL3o=',
    );
  });

  it('are verified by an independent library and by a plain HMAC, whatever is in them', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
        (codename, secret) => {
          const items = [{ id: MESSAGE.id, codename, language: 'en', type: 'note' }];
          const { body, headers } = prepare({ message: { ...MESSAGE, items } }, [secret, 'another']);
          const bytes = Buffer.from(body);
          expect(headers['x-svc-signature']).to.equal(
            createHmac('sha256', Buffer.from(secret)).update(bytes).digest('base64'),
          );
          expect(headers['x-svc-signature-alternate']).to.equal(
            createHmac('sha256', 'another').update(bytes).digest('base64'),
          );
          for (const key of [secret, 'another'])
            expect(new Webhook(Buffer.from(key).toString('base64')).verify(bytes, headers)).to.deep.equal(
              JSON.parse(bytes.toString()),
            );
        },
      ),
    );
  });

  it('keep the bytes of an earlier attempt', () => {
    const { body, headers } = prepare({ body: '{"as":"it was"}' });
    expect(body).to.equal('{"as":"it was"}');
    expect(headers['x-svc-signature']).to.equal(
      createHmac('sha256', 'secret').update('{"as":"it was"}').digest('base64'),
    );
  });

  it('have the URL of the body in the header, without a path too', () => {
    for (const url of ['https://example.com', 'https://example.com/', 'https://example.com/hook']) {
      const { body, headers } = prepare({ message: { ...MESSAGE, url } });
      expect([headers['x-svc-message-webhook-url'], JSON.parse(body).message.webhook_url]).to.deep.equal([
        url,
        url,
      ]);
    }
  });

  it('never put a line break of a URL into a header', () => {
    const { headers } = prepare({ message: { ...MESSAGE, url: 'https://münchen.example/\r\n a?ü' } });
    expect(headers['x-svc-message-webhook-url']).to.match(/^https:\/\/xn--mnchen-3ya\.example\/[!-~]*$/);
  });
});

describe('webhooks: where notifications are prepared', () => {
  const settings = { vendor: 'SVC', standardHeaders: true };
  const now = new Date('2030-01-01T00:00:00Z');
  const many = (count: number, message = MESSAGE) =>
    Array.from({ length: count }, () => ({ message, body: null, secrets: ['secret'] }));
  const tier = (run: Workers['run']) => ({ run });

  it('is the worker tier for many small ones, this process for few, for long ones and on a small machine', async () => {
    let batches = 0;
    const workers = tier(((_: string, { notifications }: { notifications: never[] }) => {
      batches++;
      return Promise.resolve({ prepared: notifications.map(prepareNotification) });
    }) as Workers['run']);
    const here = await createPrepare(settings)(many(40), now);
    expect(await createPrepare(settings, workers, 4)(many(40), now)).to.deep.equal(here);
    expect(batches).to.equal(1);
    const long = { ...MESSAGE, items: new Array(100).fill(MESSAGE.items[0]) };
    await createPrepare(settings, workers, 4)(many(31), now);
    await createPrepare(settings, workers, 4)(many(40, long), now);
    await createPrepare(settings, workers, 2)(many(40), now);
    expect(batches).to.equal(1);
  });

  it('is this process when the tier is busy, late or missing', async () => {
    const here = await createPrepare(settings)(many(40), now);
    for (const failure of ['busy', 'late', 'lost'] as const) {
      const workers = tier(() => Promise.reject(new WorkerError(failure, 'no')));
      expect(await createPrepare(settings, workers, 4)(many(40), now), failure).to.deep.equal(here);
    }
  });

  it('is this process for a while after that, and then the tier again', async () => {
    let batches = 0;
    let isBusy = true;
    const workers = tier(((_: string, { notifications }: { notifications: never[] }) => {
      batches++;
      if (isBusy) return Promise.reject(new WorkerError('late', 'no'));
      return Promise.resolve({ prepared: notifications.map(prepareNotification) });
    }) as Workers['run']);
    const prepare = createPrepare(settings, workers, 4);
    for (let batch = 0; batch < 101; batch++) await prepare(many(32), now);
    expect(batches).to.equal(1);
    isBusy = false;
    for (let batch = 0; batch < 3; batch++) await prepare(many(32), now);
    expect(batches).to.equal(4);
  });
});

describe('webhooks: secrets during an overlap', () => {
  const secrets = {
    current: 'new',
    previous: { secret: 'old', until: '2030-01-02T00:00:00.0000000Z' },
  };
  const during = new Date('2030-01-01T12:00:00Z');

  it('both sign, the old one first, and retries alternate', () => {
    const first = [0, 1, 2, 3].map((attempts) => signingSecrets(secrets, during, attempts, false)[0]);
    expect(first).to.deep.equal(['old', 'new', 'old', 'new']);
    expect(signingSecrets(secrets, during, 0, false)).to.deep.equal(['old', 'new']);
  });

  it('start with the new one once it was accepted', () => {
    expect(signingSecrets(secrets, during, 0, true)).to.deep.equal(['new', 'old']);
  });

  it('are one before a rotation and after the overlap', () => {
    expect(signingSecrets({ current: 'new', previous: null }, during, 1, false)).to.deep.equal(['new']);
    expect(signingSecrets(secrets, new Date('2030-01-02T00:00:00Z'), 0, false)).to.deep.equal(['new']);
  });
});

describe('webhooks: the triggers of a registration', () => {
  const chosen = (contentChanges: { type: string; operations: string[] }[], steps = 0) =>
    maskOf({ contentChanges, workflowSteps: new Array(steps).fill({}) });

  it('cover every pair of the specification when empty', () => {
    const mask = chosen([]);
    expect(mask & kindOf('asset', 'upsert')).to.not.equal(0);
    expect(mask & kindOf('taxonomy', 'restore')).to.not.equal(0);
    expect(mask & WORKFLOW_STEP_KIND).to.equal(0);
    expect(mask & kindOf('webhook', 'test')).to.equal(0);
  });

  it('cover every operation of a type without operations, otherwise only those named', () => {
    expect(
      chosen([
        { type: 'asset', operations: [] },
        { type: 'taxonomy', operations: ['archive'] },
      ]),
    ).to.equal(kindOf('asset', 'upsert') | kindOf('taxonomy', 'archive'));
  });

  it('include restore_publish with restore, not the other way round', () => {
    expect(chosen([{ type: 'content_item', operations: ['restore'] }])).to.equal(
      kindOf('content_item', 'restore') | kindOf('content_item', 'restore_publish'),
    );
    expect(chosen([{ type: 'content_item', operations: ['restore_publish'] }])).to.equal(
      kindOf('content_item', 'restore_publish'),
    );
  });

  it('cover only steps when they name only steps', () => {
    expect(chosen([], 1)).to.equal(WORKFLOW_STEP_KIND);
  });

  it('are stored as one bit per pair', () => {
    expect(pairOf(kindOf('sitemap', 'upsert'))).to.deep.equal({ type: 'sitemap', operation: 'upsert' });
    expect(() => kindOf('asset', 'publish')).to.throw('no notification');
  });
});

describe('webhooks: the id of a message', () => {
  it('follows from the event, the webhook and the part, and is a version 5 GUID', () => {
    const id = messageId(MESSAGE.id, 'w', 0);
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(messageId(MESSAGE.id, 'w', 0)).to.equal(id);
    expect(new Set([id, messageId(MESSAGE.id, 'w', 1), messageId(MESSAGE.id, 'v', 0)]).size).to.equal(3);
  });
});
