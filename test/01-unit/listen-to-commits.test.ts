import { expect } from 'chai';
import { listenToCommits } from '../../core/compose/listen-to-commits.ts';
import { CommitDelivery } from '../../core/storage/commit-delivery.ts';

describe('a listener of commits that throws', () => {
  it('begins anew and is reported; the listeners behind it have every commit', () => {
    const delivery = new CommitDelivery({ sequence: 4, epoch: 'one' }, 0);
    const seen: string[] = [];
    const failures: string[] = [];
    const listener = (name: string, failsAt?: number) => ({
      name,
      committed({ sequence }: { readonly sequence: number }) {
        if (sequence === failsAt) throw new Error('broken');
        seen.push(`${name} ${sequence}`);
      },
      reset: ({ sequence, epoch }: { readonly sequence: number; readonly epoch: string }) =>
        seen.push(`${name} anew after ${sequence} ${epoch}`),
    });
    listenToCommits(
      { onCommit: (committed, reset = () => {}) => delivery.listen(committed, reset) },
      [listener('first', 5), listener('second')],
      (text) => (error) => failures.push(`${text} ${(error as Error).message}`),
    );
    for (const sequence of [5, 6])
      delivery.deliver({ sequence, epoch: 'one', time: 0, entries: [], announced: [] });
    expect(seen).to.deep.equal(['first anew after 5 one', 'second 5', 'first 6', 'second 6']);
    expect(failures).to.deep.equal(["A commit could not be passed to 'first', which begins anew. broken"]);
  });
});
