import type { Reading } from './reading.ts';
import type { ReadyDocument } from './ready-document.ts';

/** More items than these are streamed: 100,000 of 4 KB as one page took 1.5 GB of memory. */
export const LARGEST_PAGE = 200;

/** Items of an answer with what they link to, whatever they were read from. */
export interface Page {
  readonly documents: readonly ReadyDocument[];
  /** By codename. */
  readonly linked: readonly ReadyDocument[];
  /** Items that were linked to and readers do not get. */
  readonly missing: ReadonlySet<number>;
  readonly more: boolean;
  /** null = not requested. */
  readonly total: number | null;
  /** Documents are being recompiled. */
  readonly pending: boolean;
}

/** Items whose documents are too many to hold: their numbers, and the tag of an answer that is read while it is sent. */
export interface StreamedPage extends Pick<Page, 'more' | 'total'> {
  readonly reading: Reading;
  readonly etag: string;
  readonly items: readonly number[];
}

export interface PageEnd {
  readonly count: number;
  readonly more: boolean;
  readonly total: number | null;
}

/** The JSON around the documents of an answer. */
export interface Frame {
  readonly opening: Uint8Array;
  /** Between the documents and those they link to. */
  readonly middle: Uint8Array;
  closing(end: PageEnd): string;
}

/**
 * The whole answer in pieces: the documents, those they link to, and the components of each once. Most pieces are the
 * bytes in memory of a document, so nothing may write into them.
 */
export function pagePieces(
  { documents, linked, more, total }: Page,
  frame: Frame,
  assetBase: string,
): Uint8Array[] {
  const parts: Uint8Array[] = [frame.opening];
  for (const document of documents) parts.push(document.body(assetBase));
  if (documents.length > 0) dropComma(parts);
  parts.push(frame.middle);
  const first = parts.length;
  for (const document of linked) parts.push(document.keyed(assetBase));
  const addComponents = (document: ReadyDocument) => {
    const components = document.components(assetBase);
    if (components) parts.push(components);
  };
  documents.forEach(addComponents);
  const roots = new Set(documents.map(({ item }) => item));
  for (const document of linked) if (!roots.has(document.item)) addComponents(document);
  if (parts.length > first) dropComma(parts);
  parts.push(Buffer.from(frame.closing({ count: documents.length, more, total })));
  return parts;
}

/** The last part of a list has no comma at its end. */
function dropComma(parts: Uint8Array[]): void {
  const last = parts.pop();
  if (last) parts.push(last.subarray(0, -1));
}
