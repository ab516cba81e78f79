import { mkdtempSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../bench/child.ts';
import type { AttackDataOrder, AttackDataReply } from './make-attack-data.ts';

/** Items of the attacked project and of the other one. */
export type Sizes = AttackDataOrder['items'];

const made = new Map<string, Promise<{ readonly folder: string; readonly data: AttackDataReply }>>();

/** Copies generated data into the folder; it is generated once for all tests of a run. */
export async function attackData(items: Sizes, folder: string): Promise<AttackDataReply> {
  const name = items.join('-');
  const source = made.get(name) ?? make(items);
  made.set(name, source);
  const { folder: from, data } = await source;
  await cp(from, folder, { recursive: true });
  return data;
}

async function make(items: Sizes) {
  const folder = mkdtempSync(join(tmpdir(), 'headwater-attack-data-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const maker = startChild<AttackDataOrder, AttackDataReply>(
    new URL('make-attack-data.ts', import.meta.url).href,
  );
  return { folder, data: await maker.ask({ folder, items }).finally(() => maker.end()) };
}
