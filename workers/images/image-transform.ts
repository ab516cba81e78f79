/** A rectangle in whole pixels. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Colour {
  /** 0..255 each; alpha too. */
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

/** How the result is written. Quality is 1..100. */
export type Encoding =
  | { readonly format: 'jpeg'; readonly progressive: boolean; readonly quality: number }
  | { readonly format: 'png'; readonly palette: boolean }
  | { readonly format: 'webp'; readonly quality: number }
  | { readonly format: 'webp'; readonly lossless: true }
  | { readonly format: 'gif' };

/**
 * What is left to do when all parameters are understood and all geometry is computed: whole numbers only, so
 * that one picture and one plan always give the same bytes.
 */
export interface ImagePlan {
  /** What is kept of the picture, in pixels of the upright (EXIF-oriented) picture; null = all of it. */
  readonly window: Region | null;
  /** Size of the result in pixels; the window is scaled to it, each axis by itself. */
  readonly width: number;
  readonly height: number;
  /** Fills what is transparent; null = stays transparent, white where the format has no transparency. */
  readonly background: Colour | null;
  /** All frames of an animated source, or its first alone. */
  readonly frames: 'all' | 'first';
  readonly encoding: Encoding;
}

export interface ImageTransform {
  /** File of the source on a disk the host can read, or its bytes where it cannot. */
  readonly source: string | Uint8Array;
  readonly plan: ImagePlan;
}

export interface TransformedImage {
  readonly body: Uint8Array;
  /** Media type. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
}
