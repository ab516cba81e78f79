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

/** Encoding of the result. Quality is 1..100. */
export type Encoding =
  | { readonly format: 'jpeg'; readonly progressive: boolean; readonly quality: number }
  | { readonly format: 'png'; readonly palette: boolean }
  | { readonly format: 'webp'; readonly quality: number }
  | { readonly format: 'webp'; readonly lossless: true }
  | { readonly format: 'gif' };

/** Fully computed work: whole numbers only, so that one image and one plan always give the same bytes. */
export interface ImagePlan {
  /** The part to keep, in pixels of the upright (EXIF-oriented) image; null = all of it. */
  readonly window: Region | null;
  /** Size of the result in pixels; each axis of the window is scaled to it separately. */
  readonly width: number;
  readonly height: number;
  /** Colour behind transparent pixels; null = they stay transparent, white where the format has no transparency. */
  readonly background: Colour | null;
  /** All frames of an animated source, or its first. */
  readonly frames: 'all' | 'first';
  readonly encoding: Encoding;
}

export interface ImageTransform {
  /** File of the source where the host can read it, otherwise its bytes. */
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
