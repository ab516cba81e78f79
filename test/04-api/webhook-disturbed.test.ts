import { expect } from 'chai';
import { createPrepare } from '../../core/webhooks/prepare.ts';
import { setWebhookEnabled } from '../../core/webhooks/registrations.ts';
import { until } from '../support/until.ts';
import { codenameOf, DispatcherBench } from '../support/webhooks/dispatcher-bench.ts';
import { FakeClock } from '../support/webhooks/fake-clock.ts';
import { answering, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

describe('the dispatcher of webhooks, disturbed', () => {
  let bench: DispatcherBench;
  let clock: FakeClock;
  let receiver: Receiver;

  beforeEach(async () => {
    clock = new FakeClock();
    bench = await DispatcherBench.open(clock);
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  const names = (path: string) => receiver.at(path).map(({ body }) => codenameOf(body));
  const expected = (name: string, count: number) =>
    Array.from({ length: count }, (_, place) => `${name}-${place}`);
  /** All three, within so many seconds of the clock. */
  const sentWithin = (seconds: number) => {
    let passed = 0;
    return until(() => {
      if (passed < seconds) clock.advance(1000);
      passed += 1;
      return receiver.record.length >= 3;
    });
  };

  it('records once the database can be written again, without repeats or wrong order', async () => {
    await bench.webhook(`${receiver.url}/a`);
    bench.start();
    const { storage } = bench;
    const write = storage.write.bind(storage);
    for (const code of ['SQLITE_BUSY', 'SQLITE_FULL']) {
      receiver.clear();
      let failing = 3;
      await bench.events(code, 3);
      storage.write = (work) => {
        if (failing-- <= 0) return write(work);
        return Promise.reject(Object.assign(new Error(code), { code }));
      };
      await sentWithin(40);
      await bench.dispatcher.settled();
      expect(names('/a')).to.deep.equal(expected(code, 3));
      storage.write = write;
    }
    expect(bench.failures.length).to.be.greaterThan(0);
  });

  it('reports a shared failure once, not once per queue', async () => {
    for (let queue = 0; queue < 20; queue++) await bench.webhook(`${receiver.url}/${queue}`);
    bench.start();
    await bench.events('a');
    await receiver.until(20);
    await bench.dispatcher.settled();
    const write = bench.storage.write.bind(bench.storage);
    let groups = 0;
    await bench.events('b');
    bench.storage.write = () => {
      groups++;
      return Promise.reject(new Error('SQLITE_FULL'));
    };
    await receiver.until(40);
    await until(() => groups > 0 && bench.failures.length === 1);
    bench.storage.write = write;
    clock.advance(1000);
    await bench.dispatcher.settled();
    expect(await bench.rows('SELECT count(*) AS count FROM webhook_notification')).to.deep.equal([
      { count: 40 },
    ]);
    expect(receiver.record.length).to.equal(40);
  });

  it('continues after a failed read of the log', async () => {
    await bench.webhook(`${receiver.url}/a`);
    bench.start();
    await bench.dispatcher.settled();
    const { sql } = bench.storage;
    const all = sql.all.bind(sql);
    let failing = 2;
    sql.all = (text, parameters) =>
      failing-- > 0 ? Promise.reject(new Error('SQLITE_IOERR')) : all(text, parameters);
    await bench.events('a', 3);
    await sentWithin(40);
    expect(names('/a')).to.deep.equal(expected('a', 3));
  });

  it('sends nothing after an acknowledged pause or a close, whatever it was about to send', async () => {
    const id = await bench.webhook(`${receiver.url}/a`);
    const prepare = createPrepare({ vendor: 'SVC', standardHeaders: true });
    let meanwhile: () => Promise<void> = () =>
      bench.run((transaction) => setWebhookEnabled(transaction, id, false));
    bench.start({
      prepare: async (...what) => {
        await meanwhile();
        return prepare(...what);
      },
    });
    await bench.events('a');
    await bench.dispatcher.settled();
    expect(receiver.record.length).to.equal(0);
    let closing: Promise<void> | undefined;
    meanwhile = async () => {
      closing = bench.dispatcher.close();
      clock.advance(1000);
    };
    await bench.run((transaction) => setWebhookEnabled(transaction, id, true));
    await bench.dispatcher.settled();
    await closing;
    expect(closing).to.be.instanceOf(Promise);
    expect(receiver.record.length).to.equal(0);
    await bench.restart();
    expect(names('/a')).to.deep.equal(['a-0']);
  });

  it('retries a notification of which only the bytes remain, on schedule', async () => {
    await bench.webhook(`${receiver.url}/a`);
    receiver.behave('/a', answering(500));
    bench.start();
    await bench.events('a', 2);
    await receiver.until(1);
    await bench.dispatcher.settled();
    const body = receiver.record[0]?.body;
    await bench.storage.write((tx) =>
      tx.run('DELETE FROM webhook_event WHERE number = (SELECT min(number) FROM webhook_event)'),
    );
    receiver.behave('/a', answering(204));
    clock.advance(60_000);
    await receiver.until(3);
    await bench.dispatcher.settled();
    expect(names('/a')).to.deep.equal(['a-0', 'a-0', 'a-1']);
    expect(receiver.record[1]?.body).to.equal(body);
    await bench.storage.write((tx) => tx.run('UPDATE webhook_progress SET head = 4711'));
    await bench.events('b');
    await until(() => bench.failures.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(receiver.record.length).to.equal(3);
    expect(String(bench.failures[0])).to.contain('4711');
  });
});
