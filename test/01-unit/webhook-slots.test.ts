import { expect } from 'chai';
import { Lane } from '../../core/webhooks/dispatch/lane.ts';
import { Slots } from '../../core/webhooks/dispatch/slots.ts';
import type { Upcoming } from '../../core/webhooks/lanes/lane-types.ts';

describe('slots for attempts', () => {
  /** Waits for a slot and notes when it has one. */
  const wait = (slots: Slots, again: boolean, name: string, order: string[]) => {
    void slots.take(again)?.then(() => order.push(name));
  };
  const soon = () => new Promise((resolve) => setImmediate(resolve));

  it('are given to who waits longest: a backlog that never ends holds no retry up', async () => {
    const slots = new Slots(2);
    for (let taken = 0; taken < 2; taken++) expect(slots.take(false)).to.equal(undefined);
    const order: string[] = [];
    wait(slots, false, 'new 1', order);
    wait(slots, true, 'retry', order);
    // Each that is done has another one behind it, as a lane in backlog has.
    for (let done = 2; done < 6; done++) {
      wait(slots, false, `new ${done}`, order);
      slots.release(false);
      await soon();
    }
    expect(order).to.deep.equal(['new 1', 'retry', 'new 2', 'new 3']);
    expect(slots.taken).to.equal(2);
  });

  it('are at most half with retries, which keep nobody else waiting', async () => {
    const slots = new Slots(4);
    const order: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) wait(slots, true, name, order);
    expect(slots.taken).to.equal(2);
    for (let fresh = 0; fresh < 2; fresh++) expect(slots.take(false)).to.equal(undefined);
    wait(slots, false, 'new', order);
    slots.release(false);
    slots.release(true);
    slots.release(true);
    await soon();
    expect(order).to.deep.equal(['new', 'c', 'd']);
    slots.release(true);
    slots.release(true);
    expect(slots.taken).to.equal(2);
  });

  it('serve whoever there is room for, also with one slot in all', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    expect(slots.take(true)).to.equal(undefined);
    wait(slots, true, 'retry', order);
    wait(slots, false, 'new', order);
    for (let done = 0; done < 2; done++) slots.release(true);
    await soon();
    expect(order).to.deep.equal(['retry', 'new']);
  });
});

describe('what is remembered of a lane', () => {
  it('is the bytes of what is sent next, not their items beside them', () => {
    const lane = new Lane(1, 1);
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
    lane.hasRead([upcoming], 2);
    lane.hasPrepared([upcoming], [{ body: '{…}', headers: {} }], 7);
    expect(lane.ready).to.deep.equal([
      {
        notification: { ...upcoming, message: { ...message, items: [] } },
        prepared: { body: '{…}', headers: {} },
        preparedAt: 7,
      },
    ]);
    expect(lane.limit, 'as many items as are read ahead').to.equal(2);
  });
});
