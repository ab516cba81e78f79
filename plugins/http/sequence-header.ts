/** `X-<VENDOR>-Content-Sequence` in lower case; answers carry the first vendor's. */
export function sequenceHeader(vendor: string): string {
  return `x-${vendor.toLowerCase()}-content-sequence`;
}
