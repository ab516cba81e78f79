import type { Colour } from '../../workers/images/image-transform.ts';

/** `bg`: RGB, ARGB, RRGGBB or AARRGGBB in hex, without `#`; short forms double each digit. */
export function readColour(text: string | undefined): Colour | undefined {
  if (!text || text.length > 8 || !/^[0-9a-f]+$/i.test(text)) return undefined;
  const long = text.length <= 4 ? text.replaceAll(/./g, '$&$&') : text;
  if (long.length !== 6 && long.length !== 8) return undefined;
  const number = Number.parseInt(long, 16);
  return {
    red: (number >>> 16) & 0xff,
    green: (number >>> 8) & 0xff,
    blue: number & 0xff,
    alpha: long.length === 8 ? number >>> 24 : 255,
  };
}
