import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { settings } from '../../plugins/access-log/schema.ts';
import { openSink, type Sink } from '../../plugins/access-log/sink.ts';
import { until } from '../support/until.ts';

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

  describe('whose reader is stuck', () => {
    const MOST_BYTES = 1_000_000;
    const LINE = `${'x'.repeat(999)}\n`;
    let fifo: string;
    let reader: FileHandle;
    let sink: Sink;

    beforeEach(async () => {
      fifo = join(folder, 'access.fifo');
      execFileSync('mkfifo', [fifo]);
      // Without waiting for a writer.
      reader = await open(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
      sink = openSink(settings.parse({ file: fifo }), MOST_BYTES);
    });
    afterEach(() => reader.close());

    /** What arrives until the writer has closed the FIFO. */
    async function readAll(isClosed: () => boolean): Promise<string> {
      let text = '';
      const chunk = Buffer.alloc(65_536);
      for (;;) {
        const wasClosed = isClosed();
        const bytesRead = await reader.read(chunk).then(
          (read) => read.bytesRead,
          () => 0,
        );
        text += chunk.toString('latin1', 0, bytesRead);
        if (bytesRead > 0) continue;
        if (wasClosed) return text;
        await pause(2);
      }
    }

    async function closeAndRead(): Promise<string> {
      let isClosed = false;
      const closed = sink.close().then(() => {
        isClosed = true;
      });
      const text = await readAll(() => isClosed);
      await closed;
      return text;
    }

    it('keeps so much for it, in whole lines, and loses the rest', async () => {
      for (let number = 0; number < 20_000; number += 1) {
        sink.write(LINE);
        if (number % 100 === 0) await new Promise(setImmediate);
      }
      const text = await closeAndRead();
      expect(text.length).to.be.within(MOST_BYTES - 200_000, MOST_BYTES);
      expect(text === LINE.repeat(text.length / LINE.length)).to.equal(true);
    });

    it('keeps no more than the lines where each is written after a moment', async () => {
      const before = process.memoryUsage().arrayBuffers;
      await sink.close();
      sink = openSink(settings.parse({ file: fifo, flushMilliseconds: 10 }), MOST_BYTES);
      for (let number = 0; number < 60; number += 1) {
        sink.write(LINE);
        await pause(12);
      }
      expect(process.memoryUsage().arrayBuffers - before).to.be.below(1_000_000);
      expect(await closeAndRead()).to.equal(LINE.repeat(60));
    });
  });

  it('writes again when a full disk has room', async () => {
    const file = join(folder, 'access.log');
    /** Of each file of this process, which the signal would end. */
    const limitTo = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:unlimited`]);
    const ignored = () => {};
    process.on('SIGXFSZ', ignored);
    const lines: string[] = [];
    const writeLines = async (count: number) => {
      for (let number = 0; number < count; number += 1) {
        lines.push(`${lines.length} ${'x'.repeat(989)}\n`);
        sink.write(lines.at(-1)!);
        if (number % 100 === 0) await pause(1);
      }
    };
    const sink = openSink(settings.parse({ file }), 1_000_000);
    try {
      limitTo(500_000);
      await writeLines(3000);
      expect((await stat(file)).size).to.equal(500_000);
    } finally {
      limitTo('unlimited');
      process.off('SIGXFSZ', ignored);
    }
    await writeLines(100);
    // What waited is written in one piece, and is counted until all of it is.
    let size = 0;
    await until(async () => {
      const before = size;
      size = (await stat(file)).size;
      return size > 1_000_000 && size === before;
    });
    await writeLines(100);
    const last = lines.at(-1);
    await sink.close();
    const text = await readFile(file, 'utf8');
    expect(text.length).to.be.within(1_400_000, 2_000_000);
    expect(text.endsWith(last!)).to.equal(true);
    const written = new Set(text.split(/(?<=\n)/));
    expect(lines.filter((line) => written.has(line)).join('') === text).to.equal(true);
  });
});
