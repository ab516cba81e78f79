/** Of what was written: in the database. */
import { expect } from 'chai';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { WrittenItem } from '../clients/writers.ts';
import type { Evidence } from './evidence.ts';

/** What was published of an item, in order. */
export interface Publication {
  readonly sequence: number;
  readonly title: string;
}

export async function checkChangeLog({ operations }: RunningCore): Promise<void> {
  const { sql } = operations.storage;
  const log = await sql.all<{ sequence: number }>('SELECT DISTINCT sequence FROM change ORDER BY sequence');
  const newest = (await sql.get<{ sequence: number }>('SELECT sequence FROM installation'))!;
  expect(log.map(({ sequence }) => sequence)).to.deep.equal(
    Array.from({ length: newest.sequence }, (_, index) => index + 1),
  );
}

/** What was acknowledged exists, and everything completely: version, change row and event. */
export async function checkWrites(core: RunningCore, { items }: Evidence): Promise<void> {
  for (const item of items) {
    const published = await publicationsOf(core, item);
    const sequences = published.map(({ sequence }) => sequence);
    for (const { sequence, title, mayBeRepeated } of item.publishes) {
      const what = `${item.externalId}: ${title} published at ${sequence}`;
      if (!mayBeRepeated) expect(sequences, what).to.include(sequence);
      expect(published[publishedBy(published, sequence)]?.title, what).to.equal(title);
    }
    expect(await eventsOf(core, item), `events of ${item.externalId}`).to.deep.equal(sequences);
  }
}

/** The place in order of the last publication up to the sequence. */
export function publishedBy(published: readonly Publication[], sequence: number): number {
  return published.findLastIndex((one) => one.sequence <= sequence);
}

export async function publicationsOf({ operations }: RunningCore, item: WrittenItem): Promise<Publication[]> {
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
