/** The picture formats that can be transformed. */
export const SOURCE_FORMATS = ['jpeg', 'png', 'gif', 'webp'] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** What the geometry needs to know of a picture; all of it is in its header. */
export interface ImageSource {
  readonly format: SourceFormat;
  /** Pixels of the upright picture: sides are swapped where its EXIF orientation is 5 to 8. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** It may have transparent pixels. */
  readonly alpha: boolean;
}
