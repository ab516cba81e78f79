/** Pixels of transformed images: where they come from, by the oracle; formats, frames, transparency, orientation. */

import { expect } from 'chai';
import fc from 'fast-check';
import sharp from 'sharp';
import { ImageCore } from '../support/images/image-core.ts';
import { expectedImage, type OracleResult, type OracleSource } from '../support/images/image-oracle.ts';
import { imageQueries } from '../support/images/random-image-query.ts';
import {
  animation,
  type Decoded,
  decode,
  image,
  type Rgba,
  TILE,
  tileColour,
  tilesImage,
} from '../support/images/test-images.ts';
import { isLongForm } from '../support/long-form.ts';

const CASES = isLongForm ? 3000 : 150;
const [COLUMNS, ROWS] = [15, 10];
const [WIDTH, HEIGHT] = [COLUMNS * TILE, ROWS * TILE];

/** Where an upright pixel is stored; `w` and `h` of the stored image. EXIF 2.32, 4.6.4.A. */
const STORED_AT: Readonly<Record<number, (x: number, y: number, w: number, h: number) => [number, number]>> =
  {
    1: (x, y) => [x, y],
    2: (x, y, w) => [w - 1 - x, y],
    3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
    4: (x, y, _, h) => [x, h - 1 - y],
    5: (x, y) => [y, x],
    6: (x, y, _, h) => [y, h - 1 - x],
    7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
    8: (x, y, w) => [w - 1 - y, x],
  };

const isNear = (one: Rgba, other: Rgba, tolerance: number) =>
  (['r', 'g', 'b', 'a'] as const).every((channel) => Math.abs(one[channel] - other[channel]) <= tolerance);

/**
 * Compares each pixel in the middle of a tile with the colour of the tile.
 * @returns how many there were
 */
function compareTiles(
  decoded: Decoded,
  expected: OracleResult,
  tileAt: (x: number, y: number) => readonly [number, number],
  tolerance: number,
): number {
  const [scaleX, scaleY] = [expected.windowWidth / expected.width, expected.windowHeight / expected.height];
  let compared = 0;
  for (let y = 0; y < expected.height; y += 3)
    for (let x = 0; x < expected.width; x += 3) {
      const sourceX = expected.left + (x + 0.5) * scaleX;
      const sourceY = expected.top + (y + 0.5) * scaleY;
      // Scalers read two pixels of the result further, and may begin one too early.
      const isInside = (place: number, scale: number) =>
        Math.min(place % TILE, TILE - (place % TILE)) > 2 + 3 * scale;
      if (!isInside(sourceX, scaleX) || !isInside(sourceY, scaleY)) continue;
      const [column, row] = tileAt(sourceX, sourceY);
      compared += 1;
      const found = decoded.at(x, y);
      const wanted = tileColour(column, row);
      if (!isNear(found, wanted, tolerance))
        expect.fail(
          `${x},${y} is ${JSON.stringify(found)}, tile ${column},${row} is ${JSON.stringify(wanted)}; ${JSON.stringify(expected)}`,
        );
    }
  return compared;
}

describe('pixels of transformed images', () => {
  let images: ImageCore;
  const paths = new Map<string, string>();
  const sources = new Map<string, OracleSource>();
  before(async () => {
    images = await ImageCore.open({ cacheBytes: 0 });
    const tiles = tilesImage(COLUMNS, ROWS);
    for (const [format, bytes] of [
      ['jpeg', await tiles.clone().jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()],
      ['png', await tiles.clone().png().toBuffer()],
      ['webp', await tiles.clone().webp({ lossless: true }).toBuffer()],
    ] as const) {
      paths.set(format, await images.store(`tiles.${format}`, `image/${format}`, bytes));
      const alpha = format !== 'jpeg' && (await sharp(bytes).metadata()).hasAlpha;
      sources.set(format, { format, width: WIDTH, height: HEIGHT, frames: 1, alpha });
    }
  });
  after(() => images.close());

  const OUTPUT = {
    jpg: 'jpeg',
    pjpg: 'jpeg',
    png: 'png',
    png8: 'png',
    gif: 'gif',
    webp: 'webp',
    'webp-lossless': 'webp',
  };

  it(`are those of the oracle's window, ${CASES} made-up URLs`, async function () {
    this.timeout(CASES * 400);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(imageQueries, fc.constantFrom('jpeg', 'png', 'webp'), async (query, format) => {
        const expected = expectedImage(query, sources.get(format)!, false);
        const answer = await images.get(paths.get(format)!, query);
        expect(answer.status).to.equal(200);
        if (expected === 'original') {
          expect(answer.headers['etag']).to.equal((await images.get(paths.get(format)!)).headers['etag']);
          return;
        }
        const decoded = await decode(answer.bytes);
        expect(decoded).to.include({
          format: OUTPUT[expected.output],
          width: expected.width,
          height: expected.height,
          frames: 1,
          isProgressive: expected.output === 'pjpg',
        });
        expect(answer.headers['content-type']).to.equal(`image/${OUTPUT[expected.output]}`);
        const isExact = expected.output === 'png' || expected.output === 'webp-lossless';
        if (!isExact && (expected.quality ?? 0) < 80) return;
        const tile = (x: number, y: number) => [Math.floor(x / TILE), Math.floor(y / TILE)] as const;
        compared += compareTiles(decoded, expected, tile, isExact && format !== 'jpeg' ? 3 : 40);
      }),
      { numRuns: CASES },
    );
    expect(compared).to.be.greaterThan(CASES * 10);
  });

  for (const format of ['jpeg', 'png', 'webp'] as const) {
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      it(`are upright in a ${format} of orientation ${orientation}, whole, in parts and around a point`, async () => {
        const encoded = tilesImage(COLUMNS, ROWS).toFormat(format, { lossless: true, quality: 100 });
        const bytes = await encoded.withMetadata({ orientation }).toBuffer();
        const path = await images.store('turned', `image/${format}`, bytes);
        const turned = orientation >= 5;
        const source: OracleSource = {
          format,
          width: turned ? HEIGHT : WIDTH,
          height: turned ? WIDTH : HEIGHT,
          frames: 1,
          alpha: false,
        };
        const stored = STORED_AT[orientation]!;
        const tile = (x: number, y: number) => {
          const [sx, sy] = stored(Math.floor(x), Math.floor(y), WIDTH, HEIGHT);
          return [Math.floor(sx / TILE), Math.floor(sy / TILE)] as const;
        };
        for (const query of [
          'fm=png',
          'w=0.5&fm=png',
          'rect=20,40,120,80&fm=png',
          'rect=0.25,0.5,100,0.25&w=60&fm=png',
          'w=80&h=80&fit=crop&crop=focalpoint&fp-x=0.9&fp-y=0.2&fp-z=2&fm=png',
          'w=180&h=150&fit=scale&fm=png',
        ]) {
          const expected = expectedImage(query, source, false) as OracleResult;
          const decoded = await decode((await images.get(path, query)).bytes);
          expect(decoded, query).to.include({ width: expected.width, height: expected.height });
          const compared = compareTiles(decoded, expected, tile, format === 'jpeg' ? 40 : 3);
          expect(compared, query).to.be.greaterThan(5);
        }
      });
    }
  }

  describe('that are transparent', () => {
    let path: string;
    before(async () => {
      // Left half opaque red, right half half transparent blue.
      const drawing = image(40, 20, (x) =>
        x < 20 ? { r: 255, g: 0, b: 0, a: 255 } : { r: 0, g: 0, b: 255, a: 128 },
      );
      path = await images.store('drawing.png', 'image/png', await drawing.png().toBuffer());
    });
    const right = async (query: string) => (await decode((await images.get(path, query)).bytes)).at(30, 10);

    for (const [query, colour, tolerance] of [
      ['w=40', { r: 0, g: 0, b: 255, a: 128 }, 1],
      ['fm=webp&lossless=1', { r: 0, g: 0, b: 255, a: 128 }, 1],
      ['fm=jpg&q=100', { r: 127, g: 127, b: 255, a: 255 }, 6],
      ['bg=f00', { r: 127, g: 0, b: 128, a: 255 }, 2],
      ['bg=00ff00&fm=jpg&q=100', { r: 0, g: 127, b: 128, a: 255 }, 12],
      ['bg=ff00ff00', { r: 0, g: 127, b: 128, a: 255 }, 2],
      ['bg=8f00', { r: 88, g: 0, b: 166, a: 196 }, 4],
      ['bg=00ffffff&w=40', { r: 0, g: 0, b: 255, a: 128 }, 1],
    ] as const) {
      it(`${query} make ${Object.values(colour).join()}`, async () => {
        expect(isNear(await right(query), colour, tolerance), JSON.stringify(await right(query))).to.equal(
          true,
        );
        expect(
          isNear(
            (await decode((await images.get(path, query)).bytes)).at(10, 10),
            { r: 255, g: 0, b: 0, a: 255 },
            8,
          ),
        ).to.equal(true);
      });
    }
  });

  for (const orientation of [2, 3, 6, 8]) {
    it(`are as stored in an animation of orientation ${orientation}, moving and still`, async () => {
      const bytes = withOrientation(await animation(40, 20, ['#ff0000', '#00ff00'], 'webp'), orientation);
      const path = await images.store('turned.webp', 'image/webp', bytes);
      for (const [query, width, height, frames] of [
        ['w=20', 20, 10, 2],
        ['rect=0,0,30,20', 30, 20, 2],
        ['fm=png', 40, 20, 1],
        ['rect=0,0,30,20&fm=png', 30, 20, 1],
        ['w=10&h=10&fit=crop&fm=png', 10, 10, 1],
      ] as const) {
        const decoded = await decode((await images.get(path, query)).bytes);
        expect(decoded, query).to.include({ width, height, frames });
        expect(isNear(decoded.at(5, 5), { r: 255, g: 0, b: 0, a: 255 }, 12), query).to.equal(true);
      }
    });
  }

  describe('of an animation', () => {
    const colours = ['#ff0000', '#00ff00', '#0000ff'];
    const wanted = [
      { r: 255, g: 0, b: 0, a: 255 },
      { r: 0, g: 255, b: 0, a: 255 },
      { r: 0, g: 0, b: 255, a: 255 },
    ];
    for (const from of ['gif', 'webp'] as const) {
      for (const [query, format, frames] of [
        ['w=20', from, 3],
        ['w=20&fm=gif', 'gif', 3],
        ['w=20&fm=webp', 'webp', 3],
        ['w=20&h=5&fit=crop', from, 3],
        ['rect=10,5,20,10', from, 3],
        ['w=20&fm=png', 'png', 1],
        ['w=20&fm=jpg', 'jpeg', 1],
        ['w=20&fm=png8', 'png', 1],
      ] as const) {
        it(`${query} of a ${from} have ${frames} frames`, async () => {
          const path = await images.store(
            `colours.${from}`,
            `image/${from}`,
            await animation(40, 20, colours, from),
          );
          const decoded = await decode((await images.get(path, query)).bytes);
          expect(decoded).to.include({ format, frames });
          expect([decoded.width, decoded.height]).to.deep.equal(query.includes('h=5') ? [20, 5] : [20, 10]);
          for (let frame = 0; frame < frames; frame += 1)
            expect(
              isNear(decoded.at(10, 2, frame), wanted[frame]!, 12),
              JSON.stringify(decoded.at(10, 2, frame)),
            ).to.equal(true);
        });
      }
    }
  });

  it('of png8 are of 256 colours at most; jpg comes at once, pjpg in passes', async () => {
    const get = async (query: string) => decode((await images.get(paths.get('png')!, query)).bytes);
    expect(await get('fm=png8')).to.include({ format: 'png', isPalette: true });
    expect(await get('fm=png')).to.include({ format: 'png', isPalette: false });
    expect((await get('fm=jpg')).isProgressive).to.equal(false);
    expect((await get('fm=pjpg')).isProgressive).to.equal(true);
  });

  it('cost more bytes the better the quality; lossless has none', async () => {
    const noise = await image(200, 200, (x, y) => ({
      r: (x * 7919 + y * 104729) % 256,
      g: (x * y) % 256,
      b: (x ^ y) % 256,
      a: 255,
    }))
      .png()
      .toBuffer();
    const path = await images.store('noise.png', 'image/png', noise);
    const size = async (query: string) => (await images.get(path, query)).bytes.length;
    for (const format of ['jpg', 'pjpg', 'webp']) {
      const [low, standard, same, high] = await Promise.all(
        ['q=0', '', 'q=85', 'q=100'].map((q) => size(`fm=${format}&${q}`)),
      );
      expect(low).to.be.below(standard!);
      expect(standard).to.equal(same).and.to.be.below(high!);
    }
    expect(await size('fm=webp&lossless=1&q=1')).to.equal(await size('fm=webp&lossless=true'));
    expect(await size('fm=png&q=1')).to.equal(await size('fm=png'));
  });
});

/** EXIF behind the frames of an extended WebP; RFC 9649, 2.7.1.5. */
function withOrientation(webp: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from([
    73,
    73,
    42,
    0,
    8,
    0,
    0,
    0,
    1,
    0,
    0x12,
    1,
    3,
    0,
    1,
    0,
    0,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
  const head = Buffer.from('EXIF\0\0\0\0', 'latin1');
  head.writeUInt32LE(tiff.length, 4);
  const whole = Buffer.concat([webp, head, tiff]);
  whole.writeUInt32LE(whole.length - 8, 4);
  whole[20] = whole.readUInt8(20) | 0x08;
  return whole;
}
