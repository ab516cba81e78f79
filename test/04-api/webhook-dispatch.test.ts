import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { commitParticipants } from '../../core/compose/commit-participants.ts';
import { NO_DUTY } from '../../core/storage/owner.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { inProject } from '../../core/transaction/in-project.ts';
import { addWebhook, deleteWebhook, setWebhookEnabled } from '../../core/webhooks/registrations.ts';
import { startWebhooks } from '../../core/webhooks/start-webhooks.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { codenameOf, DispatcherBench, SECRET } from '../support/webhooks/dispatcher-bench.ts';
import { FakeClock } from '../support/webhooks/fake-clock.ts';
import { answering, isSigned, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the dispatcher of webhooks', () => {
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

  it('sends what was committed, signed, in the order of commit', async () => {
    await bench.webhook(`${receiver.url}/a`);
    bench.start();
    await bench.events('first', 40);
    await bench.events('second', 40);
    await receiver.until(80);
    await bench.dispatcher.settled();
    expect(names('/a')).to.deep.equal([...expected('first', 40), ...expected('second', 40)]);
    expect(receiver.record.every((one) => isSigned(one, SECRET))).to.equal(true);
    expect(new Set(receiver.record.map(({ id }) => id)).size).to.equal(80);
    expect(bench.failures).to.deep.equal([]);
  });

  it('runs one request per queue, and many queues in parallel', async () => {
    const underWay = new Map<string, number>();
    let most = 0;
    let mostOfOne = 0;
    let answerAll = () => {};
    // However slowly the first requests arrive, they wait for the others.
    const manyRun = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    for (let queue = 0; queue < 20; queue++) {
      const path = `/${queue}`;
      receiver.behave(path, (_, response) => {
        const count = (underWay.get(path) ?? 0) + 1;
        underWay.set(path, count);
        mostOfOne = Math.max(mostOfOne, count);
        most = Math.max(
          most,
          [...underWay.values()].reduce((sum, one) => sum + one),
        );
        if (most > 10) answerAll();
        void manyRun.then(() => {
          setTimeout(() => {
            underWay.set(path, (underWay.get(path) ?? 0) - 1);
            response.writeHead(204).end();
          }, 5);
        });
      });
      await bench.webhook(`${receiver.url}${path}`);
    }
    bench.start();
    await bench.events('one', 10);
    await receiver.until(200);
    await bench.dispatcher.settled();
    expect(mostOfOne).to.equal(1);
    expect(most).to.be.greaterThan(10);
    for (let queue = 0; queue < 20; queue++) expect(names(`/${queue}`)).to.deep.equal(expected('one', 10));
  });

  it('lets a failing head block its own queue and no other', async () => {
    await bench.webhook(`${receiver.url}/dead`);
    await bench.webhook(`${receiver.url}/well`);
    receiver.behave('/dead', answering(500, 'broken'));
    bench.start();
    await bench.events('a', 5);
    await receiver.until(6);
    await bench.dispatcher.settled();
    expect(names('/well')).to.deep.equal(expected('a', 5));
    expect(names('/dead')).to.deep.equal(['a-0']);
    // A dead endpoint costs one timer.
    expect(clock.timers).to.equal(1);
    receiver.behave('/dead', answering(200));
    clock.advance(MINUTE);
    await receiver.until(11);
    await bench.dispatcher.settled();
    expect(names('/dead')).to.deep.equal(['a-0', ...expected('a', 5)]);
    const [first, second] = receiver.at('/dead');
    expect(first?.body).to.equal(second?.body);
    expect(first?.id).to.equal(second?.id);
    expect(clock.timers).to.equal(0);
  });

  it('has as many queues that wait for a retry as fail, beside those of another owner', async () => {
    await bench.webhook(`${receiver.url}/a`);
    await bench.webhook(`${receiver.url}/b`);
    receiver.behave('/b', answering(500));
    bench.start({ ownerId: 'one' });
    await bench.events('a', 1);
    await receiver.until(2);
    await bench.dispatcher.settled();
    expect(bench.dispatcher.figures().waitingForRetry).to.equal(1);
    await bench.storage.write((tx) =>
      tx.run("UPDATE webhook_progress SET owner = 'other' WHERE head IS NULL"),
    );
    await bench.events('b', 1);
    await bench.dispatcher.settled();
    expect(receiver.at('/a')).to.have.length(1);
    expect(bench.dispatcher.figures().waitingForRetry).to.equal(1);
  });

  it('logs a webhook whose notifications are dropped, once', async () => {
    const webhook = await bench.webhook(`${receiver.url}/dead`);
    receiver.behave('/dead', answering(503));
    await bench.events('a', 3);
    const lines: object[] = [];
    const webhooks = startWebhooks({
      storage: bench.storage,
      settings: { allow: ['127.0.0.0/8'] },
      vendor: 'SVC',
      workers: undefined,
      now: () => new Date(clock.now()),
      clock,
      onAttemptRecorded: () => {},
      duties: { webhooks: true, retention: NO_DUTY },
      log: { ...SILENT, warn: (fields: object, text: string) => lines.push({ ...fields, text }) },
    });
    for (let attempt = 0; attempt < 2 * 77; attempt++) {
      await receiver.until(attempt + 1);
      await webhooks.dispatch.settled();
      clock.advance(clock.next ?? 0);
    }
    await webhooks.dispatch.settled();
    expect(webhooks.dispatch.figures().dropped).to.equal(2);
    expect(lines).to.deep.equal([
      { webhook, text: 'A notification was dropped after three days; later ones of the webhook are tried.' },
    ]);
    await webhooks.close();
  });

  it('makes all 77 attempts at the exact minute, across restarts, then drops and continues', async () => {
    await bench.webhook(`${receiver.url}/dead`);
    receiver.behave('/dead', answering(503, '', { 'retry-after': '7' }));
    bench.start();
    await bench.events('a', 2);
    const start = clock.now();
    const minutes: number[] = [];
    for (let attempt = 0; attempt < 77; attempt++) {
      await receiver.until(attempt + 1);
      await bench.dispatcher.settled();
      minutes.push((clock.now() - start) / MINUTE);
      if (attempt === 76) break;
      const due = clock.next ?? 0;
      // Restarts at any time: at once, half-way, just before.
      if (attempt % 3 === 1) {
        clock.advance(Math.floor(due / 2));
        await bench.restart();
        clock.advance(due - Math.floor(due / 2) - 1);
      } else clock.advance(due - 1);
      await bench.dispatcher.settled();
      expect(receiver.record.length).to.equal(attempt + 1);
      clock.advance(1);
    }
    const delays = [1, 2, 4, 8, 16, 32, ...new Array(70).fill(60)];
    const exact = [0];
    for (const delay of delays) exact.push((exact.at(-1) ?? 0) + delay);
    expect(minutes).to.deep.equal(exact);
    expect(minutes.at(-1)).to.equal(71 * 60 + 3);
    // Another hour would be beyond the three days: it is dropped, and the next has three of its own.
    await receiver.until(78);
    await bench.dispatcher.settled();
    expect(new Set(receiver.record.slice(0, 77).map(({ body }) => body)).size).to.equal(1);
    expect(names('/dead').at(-1)).to.equal('a-1');
    expect(
      await bench.rows('SELECT state, attempts, note FROM webhook_notification ORDER BY number'),
    ).to.deep.equal([
      { state: 2, attempts: 77, note: 'It was tried for 3 days.' },
      { state: 0, attempts: 1, note: null },
    ]);
  });

  it('neither floods nor stalls when the wall clock is set', async () => {
    await bench.webhook(`${receiver.url}/dead`);
    receiver.behave('/dead', answering(500));
    bench.start();
    await bench.events('a');
    for (const jump of [HOUR, -HOUR, -HOUR, HOUR, 0]) {
      const sent = receiver.record.length || 1;
      await receiver.until(sent);
      await bench.dispatcher.settled();
      const due = clock.next ?? 0;
      clock.jump(jump);
      clock.advance(due - 1);
      await bench.dispatcher.settled();
      expect(receiver.record.length).to.equal(sent);
      clock.advance(1);
      await receiver.until(sent + 1);
      await bench.dispatcher.settled();
    }
    // Set back a day while the service was down: the pause that was to be, and no more.
    clock.jump(-24 * HOUR);
    await bench.restart();
    expect(clock.next).to.equal(32 * MINUTE);
  });

  it('makes no query while a thousand webhooks have nothing to send', async () => {
    await bench.run(async (transaction) => {
      for (let count = 0; count < 1000; count++)
        await addWebhook(transaction, {
          name: `w${count}`,
          url: `${receiver.url}/${count}`,
          contentChanges: [],
          workflowSteps: [],
        });
    });
    bench.start();
    await bench.dispatcher.settled();
    const asked = spyOn(bench.storage);
    clock.advance(3 * HOUR);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).to.deep.equal([]);
    expect(clock.timers).to.equal(0);
  });

  it('waits for running attempts when it closes, and aborts slow ones', async () => {
    await bench.webhook(`${receiver.url}/slow`);
    await bench.webhook(`${receiver.url}/stuck`);
    receiver.behave('/slow', (_, response) => setTimeout(() => response.writeHead(204).end(), 100));
    receiver.behave('/stuck', () => {});
    bench.start();
    await bench.events('a', 2);
    await receiver.until(2);
    const closing = bench.dispatcher.close();
    await new Promise((resolve) => setTimeout(resolve, 200));
    clock.advance(1000);
    await closing;
    expect(await bench.rows('SELECT state, attempts FROM webhook_notification')).to.deep.equal([
      { state: 1, attempts: 1 },
    ]);
    receiver.behave('/stuck', answering(204));
    await bench.restart();
    expect(names('/slow')).to.deep.equal(expected('a', 2));
    // The first attempt was not recorded: it is made again.
    expect(names('/stuck')).to.deep.equal(['a-0', 'a-0', 'a-1']);
  });

  it('leaves a queue to its owner, and takes it over when the lease has ended', async () => {
    await bench.webhook(`${receiver.url}/a`);
    bench.start({ ownerId: 'first' });
    await bench.events('a', 1);
    await receiver.until(1);
    await bench.dispatcher.close();
    bench.start({ ownerId: 'second' });
    await bench.events('b', 1);
    await bench.dispatcher.settled();
    expect(receiver.record.length).to.equal(1);
    clock.advance(10 * MINUTE);
    await receiver.until(2);
    expect(names('/a')).to.deep.equal(['a-0', 'b-0']);
  });

  it('keeps the retries of other projects when a webhook is changed', async () => {
    await bench.webhook(`${receiver.url}/ill`);
    receiver.behave('/ill', answering(500));
    bench.start();
    await bench.events('a');
    await receiver.until(1);
    await bench.restart();
    const other = await bench.storage.write((tx) =>
      createProject(
        { tx, actor: null, options: { newId: randomUUID } },
        { name: 'Other', default_language: { name: 'English', codename: 'en' } },
      ),
    );
    await inProject(
      bench.storage,
      { options: { newId: randomUUID }, participants: commitParticipants({ mediaType: 'service' }) },
      other.id,
      null,
      (transaction) =>
        addWebhook(transaction, {
          name: 'b',
          url: `${receiver.url}/b`,
          contentChanges: [],
          workflowSteps: [],
        }),
    );
    await bench.dispatcher.settled();
    expect(clock.timers).to.equal(1);
    clock.advance(MINUTE);
    await receiver.until(2);
  });

  it('sends to a changed webhook, and nothing to a paused or deleted one', async () => {
    const id = await bench.webhook(`${receiver.url}/a`);
    bench.start();
    await bench.events('a');
    await receiver.until(1);
    await bench.dispatcher.settled();
    await bench.run((transaction) => setWebhookEnabled(transaction, id, false));
    await bench.events('b');
    await bench.dispatcher.settled();
    expect(names('/a')).to.deep.equal(['a-0']);
    await bench.run((transaction) => setWebhookEnabled(transaction, id, true));
    await receiver.until(2);
    await bench.dispatcher.settled();
    expect(names('/a')).to.deep.equal(['a-0', 'b-0']);
    await bench.run((transaction) => deleteWebhook(transaction, id));
    await bench.events('c');
    await bench.dispatcher.settled();
    expect(receiver.record.length).to.equal(2);
    expect(bench.failures).to.deep.equal([]);
  });
});

/** All statements sent to the store from now on. */
function spyOn(storage: Storage): string[] {
  const asked: string[] = [];
  const { sql } = storage;
  for (const [name, target] of [
    ['all', sql],
    ['get', sql],
    ['write', storage],
    ['snapshot', storage],
  ] as const) {
    const real = Reflect.get(target, name) as (...args: unknown[]) => unknown;
    Reflect.set(target, name, (...args: unknown[]) => {
      asked.push(name);
      return real.apply(target, args);
    });
  }
  return asked;
}
