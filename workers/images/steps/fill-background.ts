import type { Colour, ImagePlan } from '../image-transform.ts';
import type { Opened } from './open-source.ts';

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

/** Fills transparent pixels with the background colour. */
export function fillBackground({ image, mayHaveAlpha, isGrey }: Opened, plan: ImagePlan): void {
  if (!mayHaveAlpha) return;
  const colour = plan.encoding.format === 'jpeg' ? over(plan.background, WHITE) : plan.background;
  if (colour === null || colour.alpha === 0) return;
  const { red: r, green: g, blue: b, alpha } = colour;
  // In a grey image `flatten` takes the red of the colour for grey; after it a GIF keeps the palette of its source, which
  // may lack the colour.
  const canFlatten = !isGrey && plan.encoding.format !== 'gif';
  if (alpha === 255 && canFlatten) {
    image.flatten({ background: { r, g, b } });
    return;
  }
  // `flatten` drops the alpha of the colour: half-transparent red would become solid.
  const canvas = {
    create: { width: 1, height: 1, channels: 4 as const, background: { r, g, b, alpha: alpha / 255 } },
  };
  // Tiled, so that it covers every frame of an animation.
  image.composite([{ input: canvas, tile: true, blend: 'dest-over' }]);
  if (alpha === 255) image.removeAlpha();
}

/** Blends a colour over an opaque one. */
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
