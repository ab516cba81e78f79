/** Files made to harm decoders: bombs, truncated files, wrong formats, concatenated files. */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';

export interface HostileFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** @param all every percent of the truncations and so on, above 400 files; else a spread of some 60 */
export async function hostileFiles(all: boolean): Promise<HostileFile[]> {
  const whole = await wholeFiles();
  return [
    ...bombs(whole),
    ...(await metadataBombs()),
    ...truncations(whole, all ? 1 : 12),
    ...damages(whole, all ? 20 : 3),
    ...disguises(await foreignFiles()),
    ...polyglots(whole),
    ...nothings(),
  ];
}

type Whole = Readonly<Record<'jpeg' | 'png' | 'gif' | 'webp', Buffer>>;

async function wholeFiles(): Promise<Whole> {
  const pixels = Buffer.from(Array.from({ length: 160 * 120 * 3 }, (_, index) => (index * 37) % 251));
  const image = () => sharp(pixels, { raw: { width: 160, height: 120, channels: 3 } });
  return {
    jpeg: await image().jpeg().toBuffer(),
    png: await image().png().toBuffer(),
    gif: await image().gif().toBuffer(),
    webp: await image().webp().toBuffer(),
  };
}

/** Small files whose headers declare large images or very many frames. */
function bombs({ jpeg, webp }: Whole): HostileFile[] {
  return [
    { name: 'png bomb 16000 x 16000', bytes: pngOfSize(16_000, 16_000) },
    { name: 'png bomb 2147483647 x 1', bytes: pngOfSize(2_147_483_647, 1) },
    { name: 'png bomb 8000 x 8000, interlaced', bytes: pngOfSize(8000, 8000, 1) },
    { name: 'png of no size', bytes: pngOfSize(0, 0) },
    { name: 'png with less data than pixels', bytes: pngOfSize(3000, 3000, 0, 1000) },
    { name: 'jpeg that says 65535 x 65535', bytes: jpegOfSize(jpeg, 65_535, 65_535) },
    { name: 'jpeg that says 8000 x 8000', bytes: jpegOfSize(jpeg, 8000, 8000) },
    { name: 'jpeg of no height', bytes: jpegOfSize(jpeg, 160, 0) },
    { name: 'gif screen 65535 x 65535', bytes: gifOfFrames(1, 65_535, 65_535) },
    { name: 'gif of 100,000 frames', bytes: gifOfFrames(100_000, 16, 16) },
    { name: 'gif of 1,500 frames of 1000 x 1000', bytes: gifOfFrames(1500, 1000, 1000) },
    { name: 'gif without a frame', bytes: gifOfFrames(0, 10, 10) },
    { name: 'webp that says 16384 x 16384', bytes: webpOfSize(webp) },
    { name: 'webp whose chunk is longer than the file', bytes: withUint32(webp, 16, 0x7fffffff) },
  ];
}

function pngOfSize(width: number, height: number, interlace = 0, raw = 100_000): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(raw))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(named.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(named, 4);
  chunk.writeUInt32BE(crc32(named), named.length + 4);
  return chunk;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Writes another size into the frame header of a JPEG. */
function jpegOfSize(jpeg: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(jpeg);
  const frame = changed.indexOf(Buffer.from([0xff, 0xc0]));
  changed.writeUInt16BE(height, frame + 5);
  changed.writeUInt16BE(width, frame + 7);
  return changed;
}

/** A frame of one pixel, however large the screen is: 20 bytes each. */
function gifOfFrames(frames: number, width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.write('GIF89a', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  head[10] = 0x80;
  const palette = Buffer.from([0, 0, 0, 255, 255, 255]);
  const control = [0x21, 0xf9, 4, 0, 1, 0, 0, 0];
  const frame = [...control, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4c, 1, 0];
  return Buffer.concat([
    head,
    palette,
    Buffer.alloc(frame.length * frames, Buffer.from(frame)),
    Buffer.from([0x3b]),
  ]);
}

/** The 14 bits of width and height behind a key frame's start code, all set. */
function webpOfSize(webp: Buffer): Buffer {
  const changed = Buffer.from(webp);
  const start = changed.indexOf(Buffer.from([0x9d, 0x01, 0x2a]));
  changed.set([0xff, 0x3f, 0xff, 0x3f], start + 3);
  return changed;
}

function withUint32(bytes: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(value, at);
  return changed;
}

/** Colour profiles and camera data that are larger than the image, or nonsense. */
async function metadataBombs(): Promise<HostileFile[]> {
  const jpeg = await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const segment = (marker: number, text: string, length: number) => {
    const body = Buffer.alloc(length, 0x41);
    body.write(text, 'latin1');
    const head = Buffer.from([0xff, marker, (length + 2) >> 8, (length + 2) & 255]);
    return Buffer.concat([head, body]);
  };
  const inserted = (...segments: Buffer[]) =>
    Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
  const icc = (number: number, count: number) => {
    const one = segment(0xe2, 'ICC_PROFILE\0', 65_000);
    one[16] = number;
    one[17] = count;
    return one;
  };
  const png = Buffer.from(
    await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  );
  const pngWith = (...chunks: Buffer[]) => Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
  const packed = deflateSync(Buffer.alloc(50_000_000));
  const packedText = pngChunk('zTXt', Buffer.concat([Buffer.from('t\0\0'), packed]));
  const packedUnicode = pngChunk('iTXt', Buffer.concat([Buffer.from('t\0\x01\0\0\0'), packed]));
  return [
    {
      name: 'jpeg with 255 pieces of profile',
      bytes: inserted(...Array.from({ length: 255 }, (_, n) => icc(n + 1, 255))),
    },
    { name: 'jpeg with a profile of the letter A', bytes: inserted(icc(1, 1)) },
    {
      name: 'jpeg with 300 blocks of EXIF',
      bytes: inserted(
        ...Array.from({ length: 300 }, () => segment(0xe1, 'Exif\0\0MM\0*\0\0\0\b\xff\xff', 60_000)),
      ),
    },
    {
      name: 'jpeg with EXIF that points to itself',
      bytes: inserted(
        segment(0xe1, 'Exif\0\0II*\0\b\0\0\0\x01\0\x69\x87\x04\0\x01\0\0\0\b\0\0\0\b\0\0\0', 64),
      ),
    },
    {
      name: 'jpeg with 20 MB of comments',
      bytes: inserted(...Array.from({ length: 320 }, () => segment(0xfe, 'x', 65_000))),
    },
    {
      name: 'png with a profile of 50 MB in 50 kB',
      bytes: pngWith(pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), packed]))),
    },
    {
      name: 'png with 20 texts of 50 MB in 1 MB',
      bytes: pngWith(...Array.from({ length: 20 }, () => packedText)),
    },
    {
      name: 'png with 20 other texts of 50 MB in 1 MB',
      bytes: pngWith(...Array.from({ length: 20 }, () => packedUnicode)),
    },
    {
      name: 'png with a text of 50 MB in 50 kB',
      bytes: pngWith(packedText),
    },
    {
      name: 'png with 20,000 texts',
      bytes: pngWith(...Array.from({ length: 20_000 }, (_, n) => pngChunk('tEXt', Buffer.from(`k${n}\0v`)))),
    },
  ];
}

function truncations(whole: Whole, step: number): HostileFile[] {
  return Object.entries(whole).flatMap(([format, bytes]) => {
    const files: HostileFile[] = [];
    for (let percent = 0; percent < 100; percent += step) {
      const length = Math.floor((bytes.length * percent) / 100);
      files.push({ name: `${format} cut at ${percent} %`, bytes: bytes.subarray(0, length) });
    }
    return files;
  });
}

/** Some bytes turned over, always the same ones. */
function damages(whole: Whole, count: number): HostileFile[] {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 8;
  };
  return Object.entries(whole).flatMap(([format, bytes]) =>
    Array.from({ length: count }, (_, number) => {
      const changed = Buffer.from(bytes);
      for (let flips = 0; flips < 20; flips++) {
        const at = 12 + (next() % (changed.length - 12));
        changed[at] = next() & 255;
      }
      return { name: `${format} damaged ${number}`, bytes: changed };
    }),
  );
}

async function foreignFiles(): Promise<Readonly<Record<string, Buffer>>> {
  const image = () => sharp({ create: { width: 32, height: 32, channels: 3, background: 'blue' } });
  return {
    avif: await image().avif().toBuffer(),
    tiff: await image().tiff().toBuffer(),
    svg: Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>',
    ),
    pdf: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>'),
    html: Buffer.from('<!doctype html><script>alert(1)</script>'),
    ppm: Buffer.from('P6 4 4 255\n'.padEnd(59, 'x')),
    vips: Buffer.concat([Buffer.from([0x08, 0xf2, 0xa6, 0xb6]), Buffer.alloc(60)]),
  };
}

/** As they are, and with the first bytes of each format that is decoded. */
function disguises(foreign: Readonly<Record<string, Buffer>>): HostileFile[] {
  const heads = {
    jpeg: Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
    png: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    gif: Buffer.from('GIF89a'),
    webp: Buffer.from('RIFF\xff\xff\0\0WEBP', 'latin1'),
  };
  return Object.entries(foreign).flatMap(([kind, bytes]) => [
    { name: `${kind} as it is`, bytes },
    ...Object.entries(heads).map(([format, head]) => ({
      name: `${kind} that starts like a ${format}`,
      bytes: Buffer.concat([head, bytes]),
    })),
  ]);
}

/** Two files in one. */
function polyglots(whole: Whole): HostileFile[] {
  const tails = {
    html: Buffer.from('<script>alert(1)</script>'),
    zip: Buffer.from('PK\x03\x04'.padEnd(64, '\0'), 'latin1'),
  };
  return Object.entries(whole).flatMap(([format, bytes]) => [
    ...Object.entries(tails).map(([tail, more]) => ({
      name: `${format} with ${tail} behind it`,
      bytes: Buffer.concat([bytes, more]),
    })),
    { name: `${format} behind another image`, bytes: Buffer.concat([whole.png, bytes]) },
  ]);
}

function nothings(): HostileFile[] {
  return [
    { name: 'nothing', bytes: Buffer.alloc(0) },
    { name: 'one byte', bytes: Buffer.from([0xff]) },
    { name: 'a megabyte of zeros', bytes: Buffer.alloc(1_000_000) },
    { name: 'a megabyte of GIF heads', bytes: Buffer.alloc(1_000_000, 'GIF89a') },
  ];
}
