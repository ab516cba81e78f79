import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { extract } from 'tar-stream';
import { ServiceError } from '../errors.ts';
import { shorten } from '../model/reference.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { damaged } from './archive-rows.ts';

/** Bytes. A row is parsed as a whole; rows of the management API are far smaller. */
const ROW_LIMIT = 32 * 2 ** 20;
/** Bytes of an entry that is one value, such as the model. */
const JSON_LIMIT = 32 * 2 ** 20;

export interface Line {
  /** From 1. */
  readonly row: number;
  readonly text: string;
}

export interface ArchiveEntry {
  readonly name: string;
  /** Must be read before the next entry is requested. */
  readonly content: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  /** The lines that are not empty. */
  lines(): AsyncIterable<Line>;
}

/**
 * Reads the entries of a tar one after the other, as a stream.
 * @param signal ends the reading, also while the source delivers nothing
 */
export async function* readArchive(
  source: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const input = Readable.from(source, { objectMode: false });
  input.on('error', (error) => tar.destroy(error));
  input.pipe(tar);
  // Destroys the tar instead of the source, which may itself wait for the abort.
  const stop = () => tar.destroy(signal?.reason);
  signal?.addEventListener('abort', stop);
  try {
    for await (const entry of tar) {
      const { name, type } = entry.header;
      if (type === 'file')
        yield toEntry(name, entry as AsyncIterable<unknown> as AsyncIterable<Uint8Array>, signal);
      else if (type !== 'directory')
        throw damaged(`'${shorten(name)}' is no file but a ${type ?? 'part of another kind'}`);
      // Unread bytes would block the next entry.
      entry.resume();
    }
  } catch (error) {
    signal?.throwIfAborted();
    const { name, code } = error as NodeJS.ErrnoException;
    // A missing file or a disconnected client is not damage.
    const isDamage = !(error instanceof ServiceError) && name !== 'AbortError' && code === undefined;
    throw isDamage ? damaged('it is no tar, or it was cut off', error) : error;
  } finally {
    signal?.removeEventListener('abort', stop);
    input.destroy();
  }
}

function toEntry(name: string, bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal): ArchiveEntry {
  const content = withDamageReported(bytes, signal);
  return {
    name,
    content,
    text: async () => {
      const decoder = new StringDecoder('utf8');
      const pieces: string[] = [];
      let size = 0;
      for await (const chunk of content) {
        size += chunk.length;
        if (size > JSON_LIMIT) throw damaged(`'${shorten(name)}' is too large`);
        if (isTurnLong()) await nextTurn();
        pieces.push(decoder.write(chunk));
      }
      pieces.push(decoder.end());
      return pieces.join('');
    },
    lines: () => linesOf(name, content),
  };
}

const NEW_LINE = 0x0a;

async function* linesOf(name: string, content: AsyncIterable<Uint8Array>) {
  let row = 0;
  // Decodes each chunk: no turn has to decode the whole of a long row.
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let size = 0;
  for await (const chunk of content) {
    let at = 0;
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, at)) {
      row += 1;
      const isEmpty = size === 0 && end === at;
      if (!isEmpty) {
        parts.push(decoder.end(Buffer.from(chunk.buffer, chunk.byteOffset + at, end - at)));
        yield { row, text: parts.join('') };
      }
      parts = [];
      size = 0;
      at = end + 1;
    }
    // Chunks of empty lines, or of one long line, yield nothing.
    if (isTurnLong()) await nextTurn();
    if (at < chunk.length) parts.push(decoder.write(chunk.subarray(at)));
    size += chunk.length - at;
    if (size > ROW_LIMIT)
      throw damaged(`row ${row + 1} of '${shorten(name)}' has more than ${ROW_LIMIT} bytes`);
  }
  parts.push(decoder.end());
  const text = parts.join('');
  if (text !== '') yield { row: row + 1, text };
}

async function* withDamageReported(
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    signal?.throwIfAborted();
    throw damaged('it was cut off', error);
  }
}
