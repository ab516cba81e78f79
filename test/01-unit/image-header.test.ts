import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import sharp from 'sharp';
import { HeaderReader } from '../../core/images/header/header-reader.ts';
import type { ImageHeader } from '../../core/images/header/image-header.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

function read(file: Uint8Array, pieceBytes = file.length || 1): ImageHeader | undefined {
  const reader = new HeaderReader();
  for (let at = 0; at < file.length; at += pieceBytes) reader.write(file.subarray(at, at + pieceBytes));
  return reader.header;
}

const still = { orientation: 1, frames: 1, alpha: false };

describe('the header of an image', () => {
  const files: readonly [kind: string, head: Buffer, header: ImageHeader][] = [
    [
      'PNG',
      hex('89504e470d0a1a0a 0000000d 49484452 00000102 00000003 08 02 000000'),
      { format: 'png', width: 258, height: 3, ...still },
    ],
    ['GIF', hex('474946383961 0201 0300 00 00 00'), { format: 'gif', width: 258, height: 3, ...still }],
    [
      'JPEG, after other segments and filling bytes',
      hex('ffd8 ffe0 0004 0000 ffff ffc4 0003 00 ffc2 0011 08 0003 0102 03'),
      { format: 'jpeg', width: 258, height: 3, ...still },
    ],
    [
      'WebP, lossy',
      hex('52494646 00000000 57454250 56503820 00000000 000000 9d012a 0201 0300'),
      { format: 'webp', width: 258, height: 3, ...still },
    ],
    [
      'WebP, lossless',
      hex('52494646 00000000 57454250 5650384c 00000000 2f 01810000 0000000000'),
      { format: 'webp', width: 258, height: 3, ...still },
    ],
    [
      'WebP, extended',
      hex('52494646 00000000 57454250 56503858 0a000000 10000000 010100 020000'),
      { format: 'webp', width: 258, height: 3, ...still, alpha: true },
    ],
  ];
  for (const [kind, head, header] of files) {
    it(`is read from a ${kind}, in pieces of any size`, () => {
      for (const pieces of [1, 2, 5, 7, 1000]) expect(read(head, pieces), `${pieces}`).to.deep.equal(header);
    });
  }

  const canvas = { create: { width: 30, height: 20, channels: 4 as const, background: '#ff000080' } };
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    it(`has the orientation of a ${format} of a real encoder`, async () => {
      for (const orientation of [1, 3, 6, 8]) {
        const file = await sharp(canvas).toFormat(format).withMetadata({ orientation }).toBuffer();
        expect(read(file), `${orientation}`).to.deep.equal({
          format,
          width: 30,
          height: 20,
          orientation,
          frames: 1,
          alpha: format !== 'jpeg',
        });
        expect(read(file, 3)).to.deep.equal(read(file));
      }
    });
  }

  it('has the orientation that the decoder reads, in every integer type', async () => {
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const file = await sharp(canvas).toFormat(format).withMetadata({ orientation: 6 }).toBuffer();
      const entry = file.indexOf(hex('1201 0300 01000000 0600'));
      expect(entry, format).to.be.greaterThan(0);
      for (let type = 0; type <= 13; type += 1)
        for (const count of [0, 1, 2]) {
          const other = Buffer.from(file);
          other.writeUInt16LE(type, entry + 2);
          other.writeUInt32LE(count, entry + 4);
          // Otherwise decoders see that the checksum is wrong.
          if (format === 'png') sealPng(other, other.indexOf('eXIf'));
          const { orientation = 1 } = await sharp(other).metadata();
          expect(read(other)?.orientation, `${format}, ${count} of type ${type}`).to.equal(orientation);
        }
    }
  });

  for (const format of ['gif', 'webp'] as const) {
    it(`counts the frames of an animated ${format}`, async () => {
      const frames = await Promise.all(
        ['red', 'green', 'blue', 'white'].map((background) =>
          sharp({ create: { width: 9, height: 7, channels: 4, background } })
            .png()
            .toBuffer(),
        ),
      );
      const file = await sharp(frames, { join: { animated: true } })
        .toFormat(format)
        .toBuffer();
      expect(read(file)).to.deep.include({ format, width: 9, height: 7, frames: 4 });
      expect(read(file, 1)).to.deep.equal(read(file));
    });
  }

  it('reports whether a PNG or GIF may be transparent', async () => {
    const opaque = sharp({ create: { width: 3, height: 3, channels: 3, background: 'red' } });
    expect(read(await opaque.clone().png().toBuffer())?.alpha).to.equal(false);
    expect(read(await sharp(canvas).png({ palette: true }).toBuffer())?.alpha).to.equal(true);
    expect(
      read(
        await sharp({ create: { ...canvas.create, background: '#0000' } })
          .gif()
          .toBuffer(),
      )?.alpha,
    ).to.equal(true);
  });

  it('is unknown for other files, truncated ones, and images without a size', () => {
    for (const head of [
      '',
      'ffd8',
      'ffd8ffe0',
      '89504e470d0a1a0a',
      '25504446',
      '89504e470d0a1a0a 0000000d 49484452 00000000 00000003 08 02 000000',
    ]) {
      expect(read(hex(head)), head).to.equal(undefined);
    }
  });

  it('is read from arbitrary bytes without harm', () => {
    const starts = files.map(([, head]) => head);
    fc.assert(
      fc.property(
        fc.constantFrom(...starts, Buffer.alloc(0)),
        fc.nat(30),
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 1, max: 50 }),
        (start, kept, junk, pieces) => {
          const file = Buffer.concat([start.subarray(0, start.length - Math.min(kept, start.length)), junk]);
          expect(read(file, pieces)).to.deep.equal(read(file));
        },
      ),
      { numRuns: 2000 },
    );
  });

  const busy: readonly [what: string, head: Buffer, unit: Buffer][] = [
    ['filling bytes', hex('ffd8ff'), hex('ff')],
    ['empty chunks', files[0]![1], Buffer.from('\0\0\0\0tEXt\0\0\0\0')],
    ['restarts', hex('ffd8ff'), hex('d0ff')],
  ];
  for (const [what, head, unit] of busy)
    it(`of a file that holds only ${what} is not read completely`, () => {
      const file = Buffer.alloc(40_000_000, unit);
      head.copy(file);
      const started = process.cpuUsage();
      expect(read(file, 65_536)).to.equal(undefined);
      // Of CPU: other processes of a busy machine do not count.
      expect(process.cpuUsage(started).user).to.be.below(3_000_000);
    });

  it('of a GIF with a million frames is not read completely', () => {
    const frame = hex('2c 00000000 02010300 00 02 01 00 00');
    const file = Buffer.concat([
      hex('474946383961 0201 0300 00 00 00'),
      Buffer.alloc(frame.length * 1_000_000, frame),
    ]);
    const started = process.cpuUsage();
    expect(read(file)?.frames).to.equal(100_000);
    expect(process.cpuUsage(started).user).to.be.below(2_000_000);
  });
});

/** Writes the checksum of the chunk whose name is there. */
function sealPng(png: Buffer, name: number): void {
  const end = name + 4 + png.readUInt32BE(name - 4);
  png.writeUInt32BE(crc32(png.subarray(name, end)), end);
}
