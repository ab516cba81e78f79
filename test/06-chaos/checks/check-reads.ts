/** Of how new the content is that readers are shown. */
import { expect } from 'chai';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { Read, ReadKind } from '../clients/read-items.ts';
import type { FaultTimes } from '../faults/fault-times.ts';
import { type Publication, publicationsOf, publishedBy } from './check-writes.ts';
import type { Evidence } from './evidence.ts';

/** Without the wait header, while a core can be reached. */
const BOUND_MS = 2000;
/** Timers, and processes of a busy machine. */
const SLACK_MS = 500;
/** A core, or its database, that waits for a CPU as long may not answer in time, which is no fault of a schedule. */
const STARVED_MS = 1000;

/** What was acknowledged so long before a read began must be seen by it. */
const REQUIRED_AFTER: Readonly<Record<ReadKind, number>> = {
  plain: BOUND_MS + SLACK_MS,
  waiting: 0,
  sequence: 0,
};

export async function checkReads(core: RunningCore, { items, reads, faults }: Evidence): Promise<void> {
  for (const item of items) {
    const published = await publicationsOf(core, item);
    for (const read of reads.filter((one) => one.item === item)) checkRead(read, published, faults);
  }
}

function checkRead(read: Read, published: readonly Publication[], faults: FaultTimes): void {
  const { item, kind, title, began, ended, busy, isFlagged, isWithoutCore, via } = read;
  if (isWithoutCore) {
    expect(isFlagged, `${via} without core, not flagged`).to.equal(true);
    const what = `${via} without core and without a fault; ${busy.toFixed(0)} ms of ${(ended - began).toFixed(0)} without a CPU`;
    expect(faults.meet(began, ended) || busy >= STARVED_MS, what).to.equal(true);
    return;
  }
  const required =
    isFlagged && kind !== 'plain'
      ? undefined
      : item.publishes
          .slice(0, read.acknowledged)
          .findLast(({ acknowledged }) => acknowledged <= began - REQUIRED_AFTER[kind]);
  if (required === undefined) return;
  const shown =
    title === undefined ? -1 : published.findLastIndex((publication) => publication.title === title);
  const least = publishedBy(published, required.sequence);
  expect(
    shown,
    `${via} shows ${title} of ${item.externalId} to a ${kind} read, ` +
      `${(began - required.acknowledged).toFixed(0)} ms after ${required.title}${isFlagged ? ', flagged' : ''}`,
  ).to.be.at.least(least);
}
