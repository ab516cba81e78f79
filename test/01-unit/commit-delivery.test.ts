import { expect } from 'chai';
import { CommitDelivery } from '../../core/storage/commit-delivery.ts';
import type { CommitState, CommittedChanges } from '../../core/storage/ports.ts';

describe('the delivery of commits', () => {
  const begin = () => {
    const delivery = new CommitDelivery({ sequence: 10, epoch: 'one' }, 0);
    const commits: CommittedChanges[] = [];
    const resets: CommitState[] = [];
    delivery.listen(
      (changes) => commits.push(changes),
      (position) => resets.push(position),
    );
    const read = (state: CommitState, began: number) =>
      delivery.deliverPart({ ...state, commits: [], upTo: 510 }, began);
    return { delivery, commits, resets, read };
  };

  it('begins anew where another history has reached the same sequence', () => {
    const { delivery, resets, read } = begin();
    const found = { sequence: 10, epoch: 'two' };
    expect(read(found, 5)).to.equal(true);
    expect(resets).to.deep.equal([found]);
    expect(delivery.state).to.deep.equal(found);
    expect(delivery.completeUntil).to.equal(5);
  });

  it('ignores what was read before a restore by this process', () => {
    const { delivery, resets, read } = begin();
    const restored = { sequence: 11, epoch: 'two' };
    delivery.reset(restored);
    read({ sequence: 10, epoch: 'one' }, 5);
    expect(delivery.state).to.deep.equal(restored);
    expect(resets).to.deep.equal([restored]);
  });
});
