import { ASSET_BASE_MARK } from '../storage/page-plan.ts';

/** Puts the public base of asset URLs where compiled bytes have their mark. */
export function spliceAssetBase(chunks: readonly Uint8Array[], base: string): Uint8Array[] {
  const baseBytes = Buffer.from(base);
  const spliced: Uint8Array[] = [];
  for (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(ASSET_BASE_MARK); at >= 0; at = chunk.indexOf(ASSET_BASE_MARK, from)) {
      spliced.push(chunk.subarray(from, at), baseBytes);
      from = at + 1;
    }
    spliced.push(from === 0 ? chunk : chunk.subarray(from));
  }
  return spliced;
}
