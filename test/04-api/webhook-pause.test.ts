/** A webhook that is paused and resumed, under a fake clock. */
import { expect } from 'chai';
import { setWebhookEnabled } from '../../core/webhooks/registrations.ts';
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
});
