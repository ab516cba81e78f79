import type { Sql } from '../../../core/storage/sql.ts';

interface Block {
  readonly view: number;
  readonly type: number;
  readonly codename: string;
  readonly count: number;
}

/** Blocks whose count is not that of the items which views show in them, and items in no block. */
export async function wrongBlocks(sql: Sql): Promise<unknown[]> {
  const blocks = await sql.all<Block & Record<string, unknown>>(
    'SELECT view, type, codename, count FROM resolved_block ORDER BY view, type, codename',
  );
  const shown = await sql.all<{ view: number; type: number; codename: string }>(
    'SELECT view, type, codename FROM resolved ORDER BY view, codename',
  );
  const counts = new Map<Block, number>();
  const wrong: unknown[] = [];
  for (const { view, type, codename } of shown)
    for (const kind of [0, type]) {
      const block = blocks.findLast(
        (one) => one.view === view && one.type === kind && one.codename <= codename,
      );
      if (block) counts.set(block, (counts.get(block) ?? 0) + 1);
      else wrong.push({ view, type: kind, codename });
    }
  return [...wrong, ...blocks.filter((block) => block.count !== (counts.get(block) ?? 0))];
}
