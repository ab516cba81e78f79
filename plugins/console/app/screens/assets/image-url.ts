/** The URLs of an image: parameters of transformations, and the finished HTML. */

export const FORMATS = ['', 'auto', 'jpg', 'pjpg', 'png', 'png8', 'gif', 'webp'] as const;
export const FITS = ['clip', 'crop', 'scale'] as const;
export const PARTS = ['whole', 'rect', 'focal'] as const;

/** Numbers as they are typed; empty = not given. */
export interface ImageSettings {
  readonly part: (typeof PARTS)[number];
  readonly x: string;
  readonly y: string;
  readonly rectWidth: string;
  readonly rectHeight: string;
  /** Per cent. */
  readonly focalX: string;
  readonly focalY: string;
  readonly zoom: string;
  readonly width: string;
  readonly height: string;
  readonly fit: (typeof FITS)[number];
  readonly format: (typeof FORMATS)[number];
  readonly quality: string;
  readonly isLossless: boolean;
  readonly background: string;
}

export const INITIAL: ImageSettings = {
  part: 'whole',
  x: '',
  y: '',
  rectWidth: '',
  rectHeight: '',
  focalX: '50',
  focalY: '50',
  zoom: '1',
  width: '',
  height: '',
  fit: 'clip',
  format: '',
  quality: '',
  isLossless: false,
  background: '',
};

const MOST_PIXELS = 8192;
/** Formats whose quality can be chosen. */
const WITH_QUALITY: ReadonlySet<string> = new Set(['jpg', 'pjpg', 'webp', 'auto']);

/** The value where it is a whole number within the bounds. */
function whole(text: string, least: number, most: number): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

function decimal(text: string, least: number, most: number): number | undefined {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return value >= least && value <= most ? value : undefined;
}

/** A focal point needs both sides. */
export function lacksSize({ part, width, height }: ImageSettings): boolean {
  return part === 'focal' && !(whole(width, 1, MOST_PIXELS) && whole(height, 1, MOST_PIXELS));
}

/** The query of the image, without `?`; values that the service would ignore are left out. */
export function imageQuery(settings: ImageSettings): string {
  const given: [string, string | number][] = [];
  const add = (name: string, value: string | number | undefined) => {
    if (value !== undefined) given.push([name, value]);
  };
  const width = whole(settings.width, 1, MOST_PIXELS);
  const height = whole(settings.height, 1, MOST_PIXELS);
  const isSized = width !== undefined || height !== undefined;
  const isFocal = settings.part === 'focal' && width !== undefined && height !== undefined;
  if (settings.part === 'rect') add('rect', rectOf(settings));
  add('w', width);
  add('h', height);
  if (isFocal) {
    add('fit', 'crop');
    add('crop', 'focalpoint');
    add('fp-x', shareOf(settings.focalX));
    add('fp-y', shareOf(settings.focalY));
    const zoom = decimal(settings.zoom, 1, 100);
    if (zoom !== 1) add('fp-z', zoom);
  } else if (isSized && settings.fit !== 'clip') add('fit', settings.fit);
  if (/^(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i.test(settings.background)) add('bg', settings.background);
  if (settings.format === 'auto') add('auto', 'format');
  else if (settings.format !== '') add('fm', settings.format);
  if (settings.format === 'webp' && settings.isLossless) add('lossless', 1);
  else if (WITH_QUALITY.has(settings.format)) add('q', whole(settings.quality, 0, 100));
  // Commas are part of `rect`.
  return given
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&');
}

export function imageUrl(url: string, settings: ImageSettings): string {
  const query = imageQuery(settings);
  return query === '' ? url : `${url}?${query}`;
}

function rectOf({ x, y, rectWidth, rectHeight }: ImageSettings): string | undefined {
  const sides = [whole(rectWidth, 1, 1e6), whole(rectHeight, 1, 1e6)];
  if (sides.includes(undefined)) return undefined;
  return [whole(x, 0, 1e6) ?? 0, whole(y, 0, 1e6) ?? 0, ...sides].join(',');
}

function shareOf(percent: string): number {
  return Math.round(decimal(percent, 0, 100) ?? 50) / 100;
}

export interface Image {
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly description: string;
}

/**
 * An `img` with several widths, of which the browser takes the one it needs.
 * @param image `width` and `height` of the result of the settings
 * @param widths wider ones than the part of the original are left out, because nothing is enlarged
 * @param most width of that part
 */
export function imageSnippet(
  image: Image,
  settings: ImageSettings,
  widths: readonly number[],
  most: number,
): string {
  const { url, width, height, description } = image;
  const ratio = height / width;
  const offered = [...new Set([...widths.filter((one) => one <= most), width])].sort(
    (one, other) => one - other,
  );
  // With a height, each width has its own.
  const isTall = settings.part === 'focal' || (settings.height.trim() !== '' && settings.fit !== 'clip');
  const at = (one: number) =>
    imageUrl(url, {
      ...settings,
      width: String(one),
      height: isTall ? String(Math.max(1, Math.round(one * ratio))) : '',
    });
  return [
    `<img src="${escaped(imageUrl(url, settings))}"`,
    `  srcset="${offered.map((one) => `${escaped(at(one))} ${one}w`).join(',\n    ')}"`,
    `  sizes="(max-width: ${width}px) 100vw, ${width}px"`,
    `  width="${width}" height="${height}" alt="${escaped(description)}">`,
  ].join('\n');
}

/** Widths that a person typed, separated by anything. */
export function readWidths(text: string): number[] {
  return (text.match(/\d+/g) ?? []).flatMap((one) => whole(one, 1, MOST_PIXELS) ?? []).slice(0, 12);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
