/**
 * A record in transit: JSON with gaps, and the byte arrays of the gaps beside it, so that megabytes are neither
 * encoded nor copied.
 */
export interface PackedRecord {
  /** The record, with null for every byte array. */
  readonly record: unknown;
  /** Path and length of each byte array, in order. */
  readonly gaps: readonly Gap[];
}

export interface Gap {
  readonly at: readonly (string | number)[];
  readonly length: number;
}

export function pack(value: unknown): PackedRecord & { readonly bytes: readonly Uint8Array[] } {
  const gaps: Gap[] = [];
  const bytes: Uint8Array[] = [];
  const walk = (one: unknown, at: readonly (string | number)[]): unknown => {
    if (one instanceof Uint8Array) {
      gaps.push({ at, length: one.byteLength });
      bytes.push(one);
      return null;
    }
    if (Array.isArray(one)) return one.map((entry, index) => walk(entry, [...at, index]));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, entry]) => [key, walk(entry, [...at, key])]));
  };
  return { record: walk(value, []), gaps, bytes };
}

/** @throws Error when the gaps and the bytes do not fit the record */
export function unpack({ record, gaps }: PackedRecord, bytes: Uint8Array): unknown {
  let value = record;
  let start = 0;
  for (const { at, length } of gaps) {
    const part = bytes.subarray(start, start + length);
    if (part.byteLength !== length) throw new Error('Bytes of the record are missing.');
    start += length;
    if (at.length === 0) value = part;
    else fill(value, at, part);
  }
  return value;
}

function fill(record: unknown, at: readonly (string | number)[], part: Uint8Array): void {
  let target = record;
  for (const step of at.slice(0, -1)) target = own(target, step)[step];
  const last = at[at.length - 1] ?? '';
  const holder = own(target, last);
  if (holder[last] !== null) throw new Error('A byte array has no gap in the record.');
  holder[last] = part;
}

/** Follows own properties only: a hostile record must not reach a prototype. */
function own(target: unknown, step: string | number): Record<string | number, unknown> {
  if (typeof target === 'object' && target !== null && Object.hasOwn(target, step)) {
    return target as Record<string | number, unknown>;
  }
  throw new Error('The path of a byte array does not exist in the record.');
}
