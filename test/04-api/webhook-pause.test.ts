/** A webhook that is paused and resumed, or changed, under a fake clock. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { changeWebhook, setWebhookEnabled } from '../../core/webhooks/registrations.ts';
import { DispatcherBench } from '../support/webhooks/dispatcher-bench.ts';
import { FakeClock } from '../support/webhooks/fake-clock.ts';
import { answering, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

const DAY = 86_400_000;

describe('a webhook that was paused while it failed', () => {
  let receiver: Receiver;
  let clock: FakeClock;
  let bench: DispatcherBench;
  let webhook = '';

  beforeEach(async () => {
    receiver = await startReceiver();
    receiver.behave('/a', answering(500));
    clock = new FakeClock();
    bench = await DispatcherBench.open(clock);
    webhook = await bench.webhook(`${receiver.url}/a`);
    bench.start();
    await bench.events('one');
    await bench.dispatcher.settled();
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  const enable = async (enabled: boolean) => {
    await bench.run((transaction) => setWebhookEnabled(transaction, webhook, enabled));
    await bench.dispatcher.settled();
  };
  const states = () => bench.rows<{ state: number }>('SELECT state FROM webhook_notification');

  it('is retried for three days from its resumption', async () => {
    await enable(false);
    clock.advance(4 * DAY);
    await enable(true);
    expect(receiver.record).to.have.length(2);
    expect(await states()).to.deep.equal([{ state: 0 }]);
    expect(clock.next).to.equal(60_000);
    receiver.behave('/a', answering(200));
    clock.advance(60_000);
    await bench.dispatcher.settled();
    expect(await states()).to.deep.equal([{ state: 1 }]);
    expect(new Set(receiver.record.map(({ body }) => body)).size, 'the same bytes').to.equal(1);
  });

  it('is retried as soon as it resumes', async () => {
    await enable(false);
    receiver.behave('/a', answering(200));
    await enable(true);
    expect(await states()).to.deep.equal([{ state: 1 }]);
  });

  it('is retried at once also where it gets another URL, or resumes, during an attempt that fails', async () => {
    const changes = [
      () =>
        bench.run((transaction) =>
          changeWebhook(transaction, webhook, {
            name: 'Moved',
            url: `${receiver.url}/b`,
            contentChanges: [],
            workflowSteps: [],
          }),
        ),
      async () => {
        for (const enabled of [false, true])
          await bench.run((transaction) => setWebhookEnabled(transaction, webhook, enabled));
      },
    ];
    for (const [index, change] of changes.entries()) {
      const before = receiver.record.length;
      let underWay: ServerResponse | undefined;
      for (const path of ['/a', '/b'])
        receiver.behave(path, (_, response) => {
          underWay = response;
        });
      clock.advance(60_000 * 2 ** index);
      await receiver.until(before + 1);
      await change();
      receiver.behave('/b', answering(500));
      underWay?.writeHead(500).end();
      await bench.dispatcher.settled();
      expect(receiver.record.slice(before).map(({ path }) => path)).to.deep.equal([
        index === 0 ? '/a' : '/b',
        '/b',
      ]);
      expect(clock.next, 'the first pause').to.equal(60_000);
    }
    expect(await bench.rows('SELECT state, attempts FROM webhook_notification')).to.deep.equal([
      { state: 0, attempts: 1 },
    ]);
    expect(await bench.rows('SELECT count(*) AS count FROM webhook_attempt')).to.deep.equal([{ count: 5 }]);
  });
});
