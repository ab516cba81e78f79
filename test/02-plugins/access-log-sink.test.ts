import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { settings } from '../../plugins/access-log/schema.ts';
import { openSink } from '../../plugins/access-log/sink.ts';

describe('the sink of the access log', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-log-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const bufferBytes of [0, 1000, 65_536])
    it(`writes each line once and in order, whatever its length and characters: bufferBytes ${bufferBytes}`, async () => {
      const file = join(folder, 'access.log');
      const sink = openSink(settings.parse({ file, bufferBytes }));
      const lines: string[] = [];
      for (let number = 0; number < 2000; number += 1) {
        const filling = ['x', 'ž', '語', '😀'][number % 4]!.repeat(number % 97 === 0 ? 9000 : number % 300);
        lines.push(`${number} ${filling}\n`);
        sink.write(lines.at(-1)!);
        if (number % 500 === 0) await new Promise(setImmediate);
      }
      await sink.close();
      expect(await readFile(file, 'utf8')).to.equal(lines.join(''));
    });
});
