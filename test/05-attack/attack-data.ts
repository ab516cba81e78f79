import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../bench/child.ts';
import { until } from '../support/until.ts';
import type { AttackDataOrder, AttackDataReply } from './make-attack-data.ts';

/** Items of the attacked project and of the other one. */
export type Sizes = AttackDataOrder['items'];

/** For another process of the same run to generate 15,000 items. */
const MOST_MS = 600_000;

/** Copies generated data into the folder; it is generated once for all tests of a run, whose processes share their temporary folder. */
export async function attackData(items: Sizes, folder: string): Promise<AttackDataReply> {
  const from = join(tmpdir(), `headwater-attack-data-${items.join('-')}`);
  const described = `${from}.json`;
  while (!existsSync(described)) {
    if (await isFirst(from)) await make(items, from, described);
    else await until(() => existsSync(described) || !existsSync(from), MOST_MS);
  }
  await cp(from, folder, { recursive: true });
  return JSON.parse(await readFile(described, 'utf8')) as AttackDataReply;
}

async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Where it fails, the next test that needs the data tries again. */
async function make(items: Sizes, folder: string, described: string): Promise<void> {
  const maker = startChild<AttackDataOrder, AttackDataReply>(
    new URL('make-attack-data.ts', import.meta.url).href,
  );
  try {
    const data = await maker.ask({ folder, items }).finally(() => maker.end());
    await writeFile(`${described}.new`, JSON.stringify(data));
    await rename(`${described}.new`, described);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}
