import { expect } from 'chai';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { messageId } from '../../core/webhooks/message.ts';
import { dumpReadSide, recompileAll } from '../support/killed/read-side-dump.ts';
import { checkOrder, type DeliveryRecord } from '../support/webhooks/delivery-record.ts';
import type { FaultTimes } from './fault-times.ts';
import { checkImports, type Import } from './imports.ts';
import type { Read, ReadKind } from './requests.ts';
import type { WrittenItem } from './writers.ts';

/** Without the wait header, while a core can be reached. */
const BOUND_MS = 2000;
/** A fault interrupts a queue at most as often as it cuts. */
const REPEATS_OF_FAULT = 5;
/** Timers, and processes of a busy machine. */
const SLACK_MS = 500;

export interface Written {
  readonly projects: readonly {
    readonly id: string;
    readonly webhooks: readonly { id: string; path: string }[];
  }[];
  readonly items: readonly WrittenItem[];
  readonly imports: readonly Import[];
}

/** What was published of an item, in order. */
interface Publication {
  readonly sequence: number;
  readonly title: string;
}

/**
 * Compares what the database holds in the end with what was acknowledged, shown and delivered.
 * @param takeoverMilliseconds how long after a fault another core may still take over what a core was doing
 */
export async function checkFinalState(
  core: RunningCore,
  { projects, items, imports }: Written,
  reads: readonly Read[],
  record: DeliveryRecord,
  faults: FaultTimes,
  takeoverMilliseconds: number,
): Promise<void> {
  await checkChangeLog(core);
  for (const item of items) {
    const published = await publicationsOf(core, item);
    const sequences = published.map(({ sequence }) => sequence);
    for (const { sequence, title } of item.publishes)
      expect(sequences, `${item.externalId}: ${title} published at ${sequence}`).to.include(sequence);
    expect(await eventsOf(core, item), `events of ${item.externalId}`).to.deep.equal(sequences);
    checkReads(
      reads.filter((read) => read.item === item),
      published,
      faults,
    );
  }
  for (const { id, webhooks } of projects) {
    const events = await core.operations.storage.sql.all<{ id: string }>(
      `SELECT e.id AS id FROM webhook_event e JOIN project p ON p.number = e.project WHERE p.id = ? ORDER BY e.number`,
      [id],
    );
    for (const webhook of webhooks) {
      const repeated = checkOrder(
        record.entries.filter(({ path }) => path === webhook.path),
        events.map((event) => messageId(event.id, webhook.id, 0)),
        (first, again) => faults.meet(first.at - takeoverMilliseconds, again.at),
      );
      expect(repeated, `repeats to ${webhook.path}`).to.be.at.most(REPEATS_OF_FAULT * faults.all.length);
    }
  }
  const imported = await checkImports(core, imports);
  const { sql } = core.operations.storage;
  const kept = await dumpReadSide(sql);
  for (const id of [...projects.map((project) => project.id), ...imported]) await recompileAll(core, id);
  expect(kept).to.deep.equal(await dumpReadSide(sql));
}

async function checkChangeLog({ operations }: RunningCore): Promise<void> {
  const { sql } = operations.storage;
  const log = await sql.all<{ sequence: number }>('SELECT DISTINCT sequence FROM change ORDER BY sequence');
  const newest = (await sql.get<{ sequence: number }>('SELECT sequence FROM installation'))!;
  expect(log.map(({ sequence }) => sequence)).to.deep.equal(
    Array.from({ length: newest.sequence }, (_, index) => index + 1),
    'the change log has no gap',
  );
}

async function publicationsOf({ operations }: RunningCore, item: WrittenItem): Promise<Publication[]> {
  const { sql } = operations.storage;
  const log = await sql.all<{ sequence: number; operation: string }>(
    'SELECT sequence, operation FROM change WHERE object LIKE ? ORDER BY sequence',
    [`${item.id}/%`],
  );
  const versions = await sql.all<{ sequence: number; elements: string }>(
    `SELECT v.sequence AS sequence, v.elements AS elements FROM version v JOIN variant x ON x.number = v.variant
       JOIN item i ON i.number = x.item WHERE i.id = ? ORDER BY v.sequence, v.number`,
    [item.id],
  );
  const changed = new Set(log.map(({ sequence }) => sequence));
  for (const { sequence } of versions)
    expect(changed, `the change of the version of ${item.externalId} at ${sequence}`).to.include(sequence);
  return log
    .filter(({ operation }) => operation === 'publish')
    .map(({ sequence }) => {
      const version = versions.findLast((one) => one.sequence <= sequence);
      return { sequence, title: titleOf(version?.elements) };
    });
}

function titleOf(elements = ''): string {
  return /"(\d+)"/.exec(elements)?.[1] ?? elements;
}

/** Sequences of the notifications about the item. */
async function eventsOf({ operations }: RunningCore, item: WrittenItem): Promise<number[]> {
  const events = await operations.storage.sql.all<{ number: number }>(
    `SELECT number FROM webhook_event WHERE items LIKE '%"' || ? || '"%' ORDER BY number`,
    [item.codename],
  );
  return events.map(({ number }) => Math.floor(number / 1000));
}

/** What was acknowledged so long before a read began must be seen by it; undefined = however long before. */
const REQUIRED_AFTER: Readonly<Record<ReadKind, number>> = {
  plain: BOUND_MS + SLACK_MS,
  waiting: 0,
  sequence: 0,
};

function checkReads(reads: readonly Read[], published: readonly Publication[], faults: FaultTimes): void {
  const last = new Map<string, number>();
  for (const [index, { title }] of published.entries()) last.set(title, index);
  for (const read of reads) {
    const { item, kind, title, began, ended, isFlagged, isWithoutCore, gateway } = read;
    if (isWithoutCore) {
      expect(isFlagged && faults.meet(began, ended), `${gateway} without core, and without a fault`).to.equal(
        true,
      );
      continue;
    }
    const required =
      isFlagged && kind !== 'plain'
        ? undefined
        : item.publishes
            .slice(0, read.acknowledged)
            .findLast(({ acknowledged }) => acknowledged <= began - REQUIRED_AFTER[kind]);
    if (required === undefined) continue;
    const shown = title === undefined ? -1 : (last.get(title) ?? Number.NaN);
    const least = published.findIndex(({ sequence }) => sequence === required.sequence);
    expect(
      shown,
      `${gateway} shows ${title} of ${item.externalId} to a ${kind} read, ` +
        `${(began - required.acknowledged).toFixed(0)} ms after ${required.title}${isFlagged ? ', flagged' : ''}`,
    ).to.be.at.least(least);
  }
}
