import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import type { Colour, Encoding, ImagePlan } from '../../workers/images/image-transform.ts';
import { DEFAULT_LIMITS } from '../../workers/images/limits.ts';
import { transformImage } from '../../workers/images/transform-image.ts';
import {
  animation,
  decode,
  image,
  type Rgba,
  TILE,
  tileColour,
  tilesImage,
} from '../support/images/test-images.ts';
import { failureOf, noiseImage, planOf } from '../support/images/worker-tier.ts';
import { isLongForm } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const PNG: Encoding = { format: 'png', palette: false };
const LOSSLESS: Encoding = { format: 'webp', lossless: true };
/** A step of a channel that rounding may take. */
const CLOSE = 3;
/** What JPEG makes of a flat colour. */
const LOSSY = 8;

const half: Colour = { red: 0, green: 0, blue: 255, alpha: 128 };

async function made(source: Buffer, plan: Partial<ImagePlan>) {
  const { body } = await transformImage({ source, plan: planOf(plan) }, DEFAULT_LIMITS, 20);
  return decode(Buffer.from(body));
}

function expectColour(found: Rgba, { r, g, b, a }: Rgba, tolerance: number, where = ''): void {
  const apart = Math.max(...[found.r - r, found.g - g, found.b - b, found.a - a].map(Math.abs));
  expect(apart, `${where} ${JSON.stringify(found)}`).to.be.at.most(tolerance);
}

describe('the steps of a transformation', () => {
  const seeThrough = () =>
    image(40, 30, (x) => ({ r: 255, g: 0, b: 0, a: x < 20 ? 255 : 0 }))
      .png()
      .toBuffer();

  it('use every field of the plan', async () => {
    const frames = await Promise.all([
      seeThrough(),
      image(40, 30, (x, y) => ({ r: x, g: y, b: 0, a: 99 }))
        .png()
        .toBuffer(),
    ]);
    const source = await sharp(frames, { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer();
    const plan = { width: 20, height: 10, encoding: LOSSLESS };
    const others: { readonly [Field in keyof ImagePlan]: ImagePlan[Field] } = {
      window: { left: 2, top: 2, width: 5, height: 5 },
      width: 10,
      height: 5,
      background: half,
      frames: 'all',
      encoding: PNG,
    };
    const bytesOf = async (changes: Partial<ImagePlan>) =>
      (await transformImage({ source, plan: planOf({ ...plan, ...changes }) }, DEFAULT_LIMITS, 20)).body;
    const unchanged = await bytesOf({});
    for (const [field, value] of Object.entries(others))
      expect(Buffer.compare(await bytesOf({ [field]: value }), unchanged), field).not.to.equal(0);
  });

  it('keep exactly the window, in each format that loses nothing', async () => {
    const source = await tilesImage(12, 9).png().toBuffer();
    const window = { left: 3 * TILE, top: 2 * TILE, width: 5 * TILE, height: 4 * TILE };
    for (const encoding of [PNG, LOSSLESS]) {
      const result = await made(source, { window, width: window.width, height: window.height, encoding });
      expect([result.width, result.height]).to.deep.equal([100, 80]);
      for (let y = 0; y < 80; y++)
        for (let x = 0; x < 100; x++) {
          const expected = tileColour(3 + Math.floor(x / TILE), 2 + Math.floor(y / TILE));
          expectColour(result.at(x, y), expected, 0, `${x}, ${y}`);
        }
    }
  });

  it('scale each axis of the window to the requested size', async () => {
    const source = await tilesImage(12, 9).png().toBuffer();
    const window = { left: 0, top: TILE, width: 10 * TILE, height: 8 * TILE };
    const result = await made(source, { window, width: 50, height: 80, encoding: PNG });
    for (let row = 0; row < 8; row++)
      for (let column = 0; column < 10; column++)
        expectColour(result.at(column * 5 + 2, row * 10 + 5), tileColour(column, row + 1), LOSSY);
  });

  it('apply the window to the upright image, for all eight orientations', async () => {
    const plain = await tilesImage(12, 9).jpeg({ quality: 95 }).toBuffer();
    const window = { left: 3 * TILE, top: 2 * TILE, width: 3 * TILE, height: 2 * TILE };
    for (let orientation = 1; orientation <= 8; orientation++) {
      const source = await sharp(plain).keepMetadata().withMetadata({ orientation }).toBuffer();
      const upright = await decode(await sharp(source).autoOrient().png().toBuffer());
      const result = await made(source, { window, width: 60, height: 40, encoding: PNG });
      for (const [x, y] of [
        [10, 10],
        [30, 10],
        [50, 30],
      ] as const)
        expectColour(result.at(x, y), upright.at(window.left + x, window.top + y), LOSSY, `${orientation}`);
    }
  });

  it('place a window to within a pixel of the result also with shrink-on-load', async () => {
    for (const format of ['jpeg', 'webp'] as const) {
      const source = await tilesImage(16, 16).toFormat(format, { quality: 95 }).toBuffer();
      for (const left of [0, 2, 5, 8])
        for (const top of [0, 3, 8]) {
          const window = { left: left * TILE, top: top * TILE, width: 8 * TILE, height: 8 * TILE };
          const result = await made(source, { window, width: 64, height: 64, encoding: PNG });
          for (let row = 0; row < 8; row++)
            for (let column = 0; column < 8; column++)
              expectColour(
                result.at(column * 8 + 4, row * 8 + 4),
                tileColour(left + column, top + row),
                20,
                format,
              );
        }
    }
  });

  it('fill transparent pixels with a background and keep its own transparency', async () => {
    const source = await seeThrough();
    const result = await made(source, { background: half, encoding: PNG });
    expectColour(result.at(5, 5), { r: 255, g: 0, b: 0, a: 255 }, CLOSE);
    expectColour(result.at(35, 5), { r: 0, g: 0, b: 255, a: 128 }, CLOSE);
    const solid = await made(source, { background: { ...half, alpha: 255 }, encoding: PNG });
    expectColour(solid.at(35, 5), { r: 0, g: 0, b: 255, a: 255 }, CLOSE);
    const none = await made(source, { encoding: PNG });
    expect(none.at(35, 5).a).to.equal(0);
  });

  it('blend a half-transparent image with a half-transparent background', async () => {
    const source = await image(40, 30, () => ({ r: 255, g: 0, b: 0, a: 128 }))
      .png()
      .toBuffer();
    const result = await made(source, { background: half, encoding: PNG });
    // Porter and Duff: alpha = 0.5 + 0.5 * 0.5; red has two thirds of it.
    expectColour(result.at(20, 15), { r: 170, g: 0, b: 85, a: 192 }, CLOSE);
  });

  it('turn transparency into white, or the background on white, in formats without it', async () => {
    const source = await seeThrough();
    const white = await made(source, {});
    expectColour(white.at(35, 5), { r: 255, g: 255, b: 255, a: 255 }, LOSSY);
    const blueish = await made(source, { background: half });
    expectColour(blueish.at(35, 5), { r: 127, g: 127, b: 255, a: 255 }, LOSSY);
  });

  it('fill a grey image with the colour of the background', async () => {
    const drawing = image(40, 30, (x) => ({ r: 100, g: 100, b: 100, a: x < 20 ? 255 : 0 }));
    for (const space of ['b-w', 'grey16'] as const) {
      const source = await drawing.clone().toColourspace(space).png().toBuffer();
      expect((await sharp(source).metadata()).channels, space).to.equal(2);
      for (const alpha of [128, 255]) {
        const result = await made(source, { background: { ...half, alpha }, encoding: PNG });
        expectColour(result.at(5, 5), { r: 100, g: 100, b: 100, a: 255 }, CLOSE, space);
        expectColour(result.at(35, 5), { r: 0, g: 0, b: 255, a: alpha }, CLOSE, space);
      }
      const flat = await made(source, { background: { ...half, alpha: 255 } });
      expectColour(flat.at(35, 5), { r: 0, g: 0, b: 255, a: 255 }, LOSSY, space);
    }
  });

  it('fill a GIF with a colour that its palette lacks', async () => {
    const source = await image(40, 30, (x) => ({ r: 0, g: 200, b: 0, a: x < 20 ? 255 : 0 }))
      .gif()
      .toBuffer();
    for (const size of [
      { width: 40, height: 30 },
      { width: 20, height: 15 },
    ]) {
      const background = { ...half, alpha: 255 };
      const result = await made(source, { ...size, background, encoding: { format: 'gif' } });
      const at = (share: number) => result.at(Math.floor(size.width * share), 5);
      expectColour(at(0.1), { r: 0, g: 200, b: 0, a: 255 }, CLOSE);
      expectColour(at(0.9), { r: 0, g: 0, b: 255, a: 255 }, CLOSE);
    }
  });

  it('leave opaque images alone, whatever the background', async () => {
    const source = await tilesImage(4, 4).removeAlpha().png().toBuffer();
    const size = { width: 80, height: 80, encoding: PNG };
    const result = await made(source, { ...size, background: half });
    expect(result.hasAlpha).to.equal(false);
    expectColour(result.at(10, 10), tileColour(0, 0), 0);
  });

  it('write each format as requested', async () => {
    const source = await noiseImage(60, 40);
    const jpeg = (progressive: boolean) =>
      made(source, { encoding: { format: 'jpeg', quality: 80, progressive } });
    expect(await jpeg(false)).to.include({ format: 'jpeg', isProgressive: false });
    expect(await jpeg(true)).to.include({ format: 'jpeg', isProgressive: true });
    expect(await made(source, { encoding: PNG })).to.include({ format: 'png', isPalette: false });
    const palette = await made(source, { encoding: { format: 'png', palette: true } });
    expect(palette).to.include({ format: 'png', isPalette: true });
    expect(await made(source, { encoding: { format: 'gif' } })).to.include({ format: 'gif' });
    expect(await made(source, { encoding: { format: 'webp', quality: 50 } })).to.include({ format: 'webp' });
  });

  for (const format of ['gif', 'webp'] as const) {
    it(`keep every frame of an animated ${format}, windowed and filled, or the first one alone`, async () => {
      const colours = ['#ff0000', '#00ff00', '#0000ff', '#00000000'];
      const source = await animation(40, 30, colours, format);
      const window = { left: 4, top: 2, width: 20, height: 20 };
      const plan = { window, width: 10, height: 10, background: { ...half, alpha: 255 } };
      for (const encoding of [{ format: 'gif' }, LOSSLESS] as const) {
        const all = await made(source, { ...plan, frames: 'all', encoding });
        expect(all).to.include({ frames: 4, width: 10, height: 10 });
        const shown = [0, 1, 2, 3].map((frame) => all.at(5, 5, frame));
        const expected = [
          [255, 0, 0],
          [0, 255, 0],
          [0, 0, 255],
          [0, 0, 255],
        ];
        for (const [frame, [r = 0, g = 0, b = 0]] of expected.entries())
          expectColour(
            shown[frame] ?? all.at(0, 0),
            { r, g, b, a: 255 },
            LOSSY,
            `${encoding.format} ${frame}`,
          );
      }
      for (const encoding of [PNG, planOf().encoding]) {
        const first = await made(source, { ...plan, frames: 'first', encoding });
        expect(first).to.include({ frames: 1, width: 10, height: 10 });
        expectColour(first.at(5, 5), { r: 255, g: 0, b: 0, a: 255 }, LOSSY);
      }
    });
  }

  it('drop metadata and convert the colours of a profile to sRGB', async () => {
    const flat = sharp({
      create: { width: 40, height: 30, channels: 3, background: { r: 200, g: 60, b: 60 } },
    });
    const wide = await flat
      .withIccProfile('p3')
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .jpeg({ quality: 100 })
      .toBuffer();
    const { body } = await transformImage(
      { source: wide, plan: planOf({ encoding: PNG }) },
      DEFAULT_LIMITS,
      20,
    );
    const metadata = await sharp(body).metadata();
    expect([metadata.exif, metadata.icc, metadata.space]).to.deep.equal([undefined, undefined, 'srgb']);
    expectColour((await decode(Buffer.from(body))).at(5, 5), { r: 200, g: 60, b: 60, a: 255 }, LOSSY);
  });

  it('refuse windows outside, results too large, and images beyond the limits before they decode them', async () => {
    const source = await noiseImage(60, 40);
    const refused = async (plan: Partial<ImagePlan>, limits = DEFAULT_LIMITS) =>
      (await failureOf(transformImage({ source, plan: planOf(plan) }, limits, 20))).failure;
    expect(await refused({ window: { left: 30, top: 0, width: 31, height: 40 } })).to.equal('refused');
    expect(await refused({ width: 8193 })).to.equal('refused');
    expect(await refused({}, { ...DEFAULT_LIMITS, maxPixels: 2399 })).to.equal('refused');
    const frames = await animation(10, 10, ['red', 'blue', 'lime'], 'gif');
    const plan = planOf({ frames: 'all', encoding: { format: 'gif' } });
    const many = failureOf(transformImage({ source: frames, plan }, { ...DEFAULT_LIMITS, maxFrames: 2 }, 20));
    expect((await many).failure).to.equal('refused');
  });

  it('give the same bytes from a source that several share, which is decoded once and dropped soon', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-shared-'));
    const noise = await noiseImage(800, 600);
    const turned = await sharp(noise).keepMetadata().withMetadata({ orientation: 6 }).toBuffer();
    const sources: Readonly<Record<string, Buffer>> = {
      jpeg: noise,
      'turned jpeg': turned,
      png: await sharp(noise).resize(300).png().toBuffer(),
      'png with transparency': await image(250, 200, (x) => ({ r: x % 256, g: 9, b: 0, a: x % 256 }))
        .png()
        .toBuffer(),
      'png of 16 bits': await sharp(noise).resize(300).toColourspace('rgb16').png().toBuffer(),
      webp: await sharp(noise).resize(400).webp().toBuffer(),
      gif: await sharp(noise).resize(200).gif().toBuffer(),
    };
    try {
      for (const [name, bytes] of Object.entries(sources)) {
        const source = join(folder, name.replaceAll(' ', '-'));
        await writeFile(source, bytes);
        const { width, height } = (await sharp(bytes).metadata()).autoOrient;
        const window = { left: 20, top: 10, width: width - 40, height: height - 20 };
        // Each of the factors by which a decoder shrinks, and what is hardly more than one of them; in short the least and the largest.
        for (const part of isLongForm ? [1, 1.5, 2.1, 3.5, 4.2, 6, 8.1, 10] : [1, 1.5, 2.1, 8.1])
          for (const cut of [null, window]) {
            const plan = planOf({
              window: cut,
              width: Math.round((cut?.width ?? width) / part),
              height: Math.round((cut?.height ?? height) / part),
              encoding: name.includes('png') ? PNG : planOf().encoding,
            });
            const alone = await transformImage({ source, plan }, DEFAULT_LIMITS, 20);
            const shared = await transformImage({ source, plan }, DEFAULT_LIMITS, 20, true);
            expect(Buffer.compare(shared.body, alone.body), `${name} ÷ ${part}`).to.equal(0);
          }
        // In whole MB; an image of 800 × 600 has 1.4.
        if (name === 'jpeg') expect(sharp.cache().memory.current).to.be.at.least(1);
      }
      await until(() => sharp.cache().memory.max === 0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('refuse a damaged image also where several share it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-shared-'));
    const source = join(folder, 'cut.jpg');
    await writeFile(source, (await noiseImage(800, 600)).subarray(0, 20_000));
    const failures = [1, 2, 3].map((number) =>
      failureOf(
        transformImage({ source, plan: planOf({ width: 30 * number }) }, DEFAULT_LIMITS, 20, number > 1),
      ),
    );
    expect((await Promise.all(failures)).map(({ failure }) => failure)).to.deep.equal(
      Array(3).fill('refused'),
    );
    await rm(folder, { recursive: true });
  });

  it('decode a source again within the same time limit only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-shared-'));
    const source = join(folder, 'cut.jpg');
    await writeFile(source, (await noiseImage(800, 600)).subarray(0, 20_000));
    const { now } = performance;
    let later = 0;
    performance.now = () => now.call(performance) + later;
    try {
      for (const [passed, expected] of [
        [18_000, 'refused'],
        [21_000, 'late'],
      ] as const) {
        later = 0;
        const failing = failureOf(transformImage({ source, plan: planOf({}) }, DEFAULT_LIMITS, 20, true));
        later = passed;
        expect((await failing).failure).to.equal(expected);
      }
    } finally {
      performance.now = now;
      await rm(folder, { recursive: true });
    }
  });

  it('stop at the time limit', async () => {
    const source = await noiseImage(3000, 2500);
    const plan = planOf({ width: 3000, height: 2500, encoding: LOSSLESS });
    const { failure } = await failureOf(transformImage({ source, plan }, DEFAULT_LIMITS, 1));
    expect(failure).to.equal('late');
  });
});
