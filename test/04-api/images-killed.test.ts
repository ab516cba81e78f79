import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { unpackResult } from '../../core/images/packed-result.ts';
import { ImageCore } from '../support/images/image-core.ts';
import { tilesImage } from '../support/images/test-images.ts';
import { isLongForm } from '../support/long-form.ts';

const KILLS = isLongForm ? 200 : 2;
const MAKERS = join(import.meta.dirname, '../support/killed/image-makers.mjs');
/** Less than the 120 results take together, so that some are always being evicted. */
const CACHE_BYTES = 200_000;
/** However slow the machine is. */
const ANSWERS_BEFORE_KILL = 40;

interface Line {
  readonly ready?: true;
  readonly query: string;
  readonly etag: string;
  readonly hash: string;
  readonly made: number;
}

describe(`a process that is killed ${KILLS} times while it makes and stores images`, function () {
  this.timeout(120_000 + KILLS * 5000);
  let images: ImageCore;
  let path: string;
  before(async () => {
    images = await ImageCore.open();
    path = await images.store('tiles.png', 'image/png', await tilesImage(10, 6).png().toBuffer());
    await images.core.close();
  });
  after(async () => {
    await images.start();
    await images.close();
  });

  it('never changes the bytes or the tag of an image, nor leaves a partial result', async () => {
    const known = new Map<string, Pick<Line, 'etag' | 'hash'>>();
    let answers = 0;
    let made = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const child = spawn(
        process.execPath,
        [MAKERS, images.dataDir, path, String(round + 1), String(CACHE_BYTES)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const ended = once(child, 'close');
      let madeHere = 0;
      let answersHere = 0;
      let hasEnough = () => {};
      const enough = new Promise<void>((resolve) => {
        hasEnough = resolve;
      });
      for await (const text of createInterface({ input: child.stdout })) {
        // The last line may be cut.
        if (!text.endsWith('}')) continue;
        const line: Line = JSON.parse(text);
        if (line.ready) {
          void Promise.all([setTimeout(20 + ((round * 37) % 300)), enough]).then(() => child.kill('SIGKILL'));
          continue;
        }
        const { query, etag, hash } = line;
        expect(known.get(query) ?? { etag, hash }, query).to.deep.equal({ etag, hash });
        known.set(query, { etag, hash });
        answers += 1;
        madeHere = line.made;
        answersHere += 1;
        if (answersHere === ANSWERS_BEFORE_KILL) hasEnough();
      }
      await ended;
      made += madeHere;
      expect(await tornResults()).to.deep.equal([]);
    }
    expect(new Set([...known.values()].map(({ hash }) => hash)).size).to.equal(known.size);
    // Some came from the disk, some were made; else this would show nothing.
    expect(made).to.be.greaterThan(KILLS);
    expect(answers).to.be.greaterThan(made + KILLS);
  });

  async function tornResults(): Promise<string[]> {
    const folder = join(images.dataDir, 'cache/images');
    const torn: string[] = [];
    let bytes = 0;
    for (const group of await readdir(folder)) {
      if (group === 'unfinished') continue;
      for (const name of await readdir(join(folder, group))) {
        const packed = await readFile(join(folder, group, name));
        bytes += packed.length;
        if (!unpackResult(`${group}${name}`, packed)) torn.push(`${group}/${name}`);
      }
    }
    expect(bytes).to.be.at.most(CACHE_BYTES);
    return torn;
  }
});
