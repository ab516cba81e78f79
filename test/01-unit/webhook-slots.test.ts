import { expect } from 'chai';
import { AttemptSlots } from '../../core/webhooks/dispatch/attempt-slots.ts';
import { DispatchQueue } from '../../core/webhooks/dispatch/dispatch-queue.ts';
import type { Upcoming } from '../../core/webhooks/queues/queue-types.ts';

describe('slots for attempts', () => {
  /** Waits for a slot and records when it has one. */
  const wait = (slots: AttemptSlots, again: boolean, name: string, order: string[]) => {
    void slots.take(again)?.then(() => order.push(name));
  };
  const soon = () => new Promise((resolve) => setImmediate(resolve));

  it('go to the longest waiting attempt: an endless backlog delays no retry', async () => {
    const slots = new AttemptSlots(2);
    for (let taken = 0; taken < 2; taken++) expect(slots.take(false)).to.equal(undefined);
    const order: string[] = [];
    wait(slots, false, 'new 1', order);
    wait(slots, true, 'retry', order);
    // Each finished attempt has a successor, as in a backlog.
    for (let done = 2; done < 6; done++) {
      wait(slots, false, `new ${done}`, order);
      slots.release(false);
      await soon();
    }
    expect(order).to.deep.equal(['new 1', 'retry', 'new 2', 'new 3']);
    expect(slots.inUse).to.equal(2);
  });

  it('hold retries in at most half, so that they do not delay other attempts', async () => {
    const slots = new AttemptSlots(4);
    const order: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) wait(slots, true, name, order);
    expect(slots.inUse).to.equal(2);
    for (let fresh = 0; fresh < 2; fresh++) expect(slots.take(false)).to.equal(undefined);
    wait(slots, false, 'new', order);
    slots.release(false);
    slots.release(true);
    slots.release(true);
    await soon();
    expect(order).to.deep.equal(['new', 'c', 'd']);
    slots.release(true);
    slots.release(true);
    expect(slots.inUse).to.equal(2);
  });

  it('serve the attempts that fit, also with a single slot', async () => {
    const slots = new AttemptSlots(1);
    const order: string[] = [];
    expect(slots.take(true)).to.equal(undefined);
    wait(slots, true, 'retry', order);
    wait(slots, false, 'new', order);
    for (let done = 0; done < 2; done++) slots.release(true);
    await soon();
    expect(order).to.deep.equal(['retry', 'new']);
  });
});

describe('the state of a queue', () => {
  it('has one notification read while the head fails, and more once the head was skipped or made due', () => {
    const queue = new DispatchQueue(1, 1);
    queue.failing = true;
    expect(queue.limit).to.equal(1);
    queue.reset();
    expect(queue.limit).to.be.greaterThan(1);
  });

  it('holds the bytes of the next notifications without their items', () => {
    const queue = new DispatchQueue(1, 1);
    const item = { id: 'i', codename: 'trail', language: 'en', type: 'article' };
    const message: Upcoming['message'] = {
      id: 'm',
      type: 'content_type',
      operation: 'upsert',
      apiName: 'delivery_production',
      projectId: 'p',
      created: '2030-01-01T00:00:00.0000000Z',
      url: 'https://example.com/',
      items: Array.from({ length: 1000 }, () => item),
      taxonomies: [],
    };
    const upcoming: Upcoming = {
      position: { event: 1, part: 0 },
      number: null,
      message,
      body: null,
      attempts: 0,
      firstAttempt: null,
      epoch: 'e',
    };
    queue.onRead([upcoming], 2);
    queue.onPrepared([upcoming], [{ body: '{…}', headers: {} }], 7);
    expect(queue.ready).to.deep.equal([
      {
        notification: { ...upcoming, message: { ...message, items: [] } },
        prepared: { body: '{…}', headers: {} },
        preparedAt: 7,
      },
    ]);
    expect(queue.limit, 'as many items as are read ahead').to.equal(2);
  });
});
