/** The picture formats that can be transformed. */
export type SourceFormat = 'jpeg' | 'png' | 'gif' | 'webp';
