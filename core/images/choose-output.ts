import type { Encoding } from '../../workers/images/image-transform.ts';
import type { ImageSource } from './image-source.ts';
import type { Format, ImageParameters } from './read-parameters.ts';

const DEFAULT_QUALITY = 85;
const OWN_FORMAT = { jpeg: 'jpg', png: 'png', gif: 'gif', webp: 'webp' } as const;

export interface Output {
  readonly encoding: Encoding;
  /** The parameters request this output; false = it is the source's own. */
  readonly requested: boolean;
  /** The format keeps all frames of an animation. */
  readonly animates: boolean;
}

/** Chooses the encoding. `auto=format` wins where the browser accepts WebP, else `fm`, else the format of the source. */
export function chooseOutput(parameters: ImageParameters, source: ImageSource, takesWebp: boolean): Output {
  const { fm, auto, q } = parameters;
  const own = OWN_FORMAT[source.format];
  const negotiated = auto && takesWebp ? 'webp' : fm;
  const format = negotiated ?? own;
  const lossless = parameters.lossless && fm === 'webp' && format === 'webp';
  const requested = auto && takesWebp ? format !== own : negotiated !== undefined;
  return {
    encoding: encodingOf(format, q ?? DEFAULT_QUALITY, lossless),
    requested: requested || lossless || (q !== undefined && hasQuality(format)),
    animates: format === 'gif' || format === 'webp',
  };
}

function hasQuality(format: Format): boolean {
  return format === 'jpg' || format === 'pjpg' || format === 'webp';
}

function encodingOf(format: Format, quality: number, lossless: boolean): Encoding {
  switch (format) {
    case 'jpg':
    case 'pjpg':
      return { format: 'jpeg', progressive: format === 'pjpg', quality };
    case 'png':
    case 'png8':
      return { format: 'png', palette: format === 'png8' };
    case 'webp':
      return lossless ? { format: 'webp', lossless } : { format: 'webp', quality };
    case 'gif':
      return { format: 'gif' };
  }
}
