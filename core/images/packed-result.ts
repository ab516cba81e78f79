import { crc32 } from 'node:zlib';

/** The result of a transformation. */
export interface Result {
  /** Media type. */
  readonly type: string;
  readonly body: Uint8Array;
}

const MAGIC = Buffer.from('HWR2');
const CHECKSUM = 4;
const START = MAGIC.length + CHECKSUM + 1;

/**
 * `HWR2`, CRC-32 of the key and the rest, length of the media type, media type, body. The body is not copied. The checksum
 * is for interrupted writes and failing disks, for which a cryptographic hash would cost more and find no more.
 */
export function packResult(key: string, { type, body }: Result): readonly [Buffer, Uint8Array] {
  const named = Buffer.concat([Buffer.from([type.length]), Buffer.from(type, 'latin1')]);
  return [Buffer.concat([MAGIC, checksum(key, named, body), named]), body];
}

/** Returns undefined unless the bytes are a complete result of this key. */
export function unpackResult(key: string, packed: Buffer): Result | undefined {
  if (packed.length < START || !packed.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const rest = packed.subarray(START - 1);
  if (!checksum(key, rest).equals(packed.subarray(MAGIC.length, START - 1))) return undefined;
  const body = 1 + rest.readUInt8(0);
  return { type: rest.toString('latin1', 1, body), body: rest.subarray(body) };
}

function checksum(key: string, ...rest: readonly Uint8Array[]): Buffer {
  const sum = rest.reduce((before, part) => crc32(part, before), crc32(key));
  const bytes = Buffer.alloc(CHECKSUM);
  bytes.writeUInt32BE(sum);
  return bytes;
}
