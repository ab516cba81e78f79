import { expect } from 'chai';
import { Slots } from '../../core/webhooks/slots.ts';

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
