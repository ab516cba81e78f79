/**
 * A record as it crosses a socket: JSON with gaps, and the byte arrays that belong into them beside it, so that
 * megabytes are neither quoted nor copied.
 */
export interface Parcel {
  /** The record with null in place of every byte array. */
  readonly record: unknown;
  /** For each byte array in turn: where it belongs, and its length. */
  readonly gaps: readonly Gap[];
}

export interface Gap {
  readonly at: readonly (string | number)[];
  readonly length: number;
}

export function pack(value: unknown): Parcel & { readonly bytes: readonly Uint8Array[] } {
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
export function unpack({ record, gaps }: Parcel, bytes: Uint8Array): unknown {
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
  let place = record;
  for (const step of at.slice(0, -1)) place = own(place, step)[step];
  const last = at[at.length - 1] ?? '';
  const holder = own(place, last);
  if (holder[last] !== null) throw new Error('Bytes have no gap in the record.');
  holder[last] = part;
}

/** Its own entries only: a record of somebody else must not reach what all objects share. */
function own(place: unknown, step: string | number): Record<string | number, unknown> {
  if (typeof place === 'object' && place !== null && Object.hasOwn(place, step)) {
    return place as Record<string | number, unknown>;
  }
  throw new Error('Bytes have no place in the record.');
}
