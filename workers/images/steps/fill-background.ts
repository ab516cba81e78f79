import type { Colour, ImagePlan } from '../image-transform.ts';
import type { Opened } from './open-source.ts';

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

/** Puts the background below what is transparent, if anything is. */
export function fillBackground({ image, hasAlpha }: Opened, plan: ImagePlan): void {
  if (!hasAlpha) return;
  const colour = plan.encoding.format === 'jpeg' ? over(plan.background, WHITE) : plan.background;
  if (colour === null || colour.alpha === 0) return;
  const { red: r, green: g, blue: b, alpha } = colour;
  if (alpha === 255) {
    image.flatten({ background: { r, g, b } });
    return;
  }
  // `flatten` drops the alpha of the colour: a half transparent red would come out as a solid one.
  const canvas = {
    create: { width: 1, height: 1, channels: 4 as const, background: { r, g, b, alpha: alpha / 255 } },
  };
  // A tile, so that it also lies below every frame of an animation.
  image.composite([{ input: canvas, tile: true, blend: 'dest-over' }]);
}

/** A colour seen on an opaque one. */
function over(colour: Colour | null, ground: Colour): Colour {
  if (colour === null) return ground;
  const share = colour.alpha / 255;
  const mixed = (one: number, below: number) => Math.round(one * share + below * (1 - share));
  return {
    red: mixed(colour.red, ground.red),
    green: mixed(colour.green, ground.green),
    blue: mixed(colour.blue, ground.blue),
    alpha: 255,
  };
}
