/** What a view shows, changed at random, and its deep pages. */
import { expect } from 'chai';
import type { PagePlan } from '../../core/storage/page-plan.ts';
import type { Storage, Transaction } from '../../core/storage/ports.ts';
import { ALL_TYPES, type BlockChange, LARGEST_BLOCK } from '../../core/storage/resolved-blocks.ts';
import type { Random } from '../support/random/random.ts';
import { BOOK, EN, NOTE, plan, VIEW } from './compiled-fixture.ts';

export const DEEP = LARGEST_BLOCK + 1;

export interface Shown {
  readonly item: number;
  readonly type: number;
  readonly codename: string;
}

/** Items appear, disappear, or get another codename or type. */
export function changed(random: Random, before: readonly Shown[]): Shown[] {
  const next = Math.max(99, ...before.map(({ item }) => item)) + 1;
  const added = Array.from({ length: random.int(0, 6000) }, (_, index) => some(random, next + index));
  const kept = before.flatMap((item) => {
    const chance = random.int(0, 19);
    return chance === 0 ? [] : [chance === 1 ? some(random, item.item) : item];
  });
  return [...kept, ...added];
}

function some(random: Random, item: number): Shown {
  const letter = String.fromCharCode(97 + random.int(0, 25));
  return { item, type: random.pick([BOOK, NOTE]), codename: `${letter}_${random.int(0, 49)}_${item}` };
}

/** @param keepsCounts false: as version 0.2.0 */
export async function replace(
  tx: Transaction,
  before: readonly Shown[],
  after: readonly Shown[],
  keepsCounts = true,
): Promise<void> {
  await tx.run('DELETE FROM resolved WHERE view = ?', [VIEW.en]);
  await tx.run('DELETE FROM tally WHERE view = ?', [VIEW.en]);
  const rows = after.map(({ item, type, codename }) => [VIEW.en, item, item, type, EN, codename]);
  await tx.insert('resolved', ['view', 'item', 'document', 'type', 'language', 'codename'], rows);
  const counts = [BOOK, NOTE].map((type) => [
    VIEW.en,
    type,
    EN,
    after.filter((item) => item.type === type).length,
  ]);
  await tx.insert('tally', ['view', 'type', 'language', 'count'], counts);
  if (!keepsCounts) return;
  const changes = (items: readonly Shown[], change: 1 | -1) =>
    items.flatMap(({ type, codename }): BlockChange[] => [
      [VIEW.en, ALL_TYPES, codename, change],
      [VIEW.en, type, codename, change],
    ]);
  const [gone, come] = [new Set(after), new Set(before)];
  await tx.changeBlocks([
    ...changes(
      after.filter((item) => !come.has(item)),
      1,
    ),
    ...changes(
      before.filter((item) => !gone.has(item)),
      -1,
    ),
  ]);
}

/** The deep pages of the view in English, by type and direction, are those of what it shows. */
export async function expectPages(storage: Storage, shown: readonly Shown[], why: string): Promise<void> {
  const plans: Partial<PagePlan>[] = [{}, { types: [BOOK] }, { types: [BOOK, NOTE] }];
  for (const part of plans)
    for (const descending of [false, true]) {
      const order = { by: 'codename', descending } as const;
      const { types } = part;
      const all = shown
        .filter(({ type }) => !types || types.includes(type))
        .sort((a, b) => (a.codename < b.codename ? -1 : 1))
        .map(({ item }) => item);
      if (descending) all.reverse();
      for (const skip of [DEEP, DEEP + 2047, all.length - 3, all.length, all.length + DEEP]) {
        if (skip < 0) continue;
        const { items, more } = await storage.page(plan({ ...part, order, skip, limit: 4 }));
        const where = `${why}: ${JSON.stringify({ types, descending, skip, of: all.length })}`;
        expect(items, where).to.deep.equal(all.slice(skip, skip + 4));
        expect(more, where).to.equal(all.length > skip + 4);
      }
      const rest = await storage.snapshot((reads) => reads.items(plan({ ...part, order, skip: DEEP })));
      expect(rest, why).to.deep.equal(all.slice(DEEP));
    }
}
