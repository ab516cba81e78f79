import { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { ServiceError } from '../errors.ts';
import { damaged } from './archive-rows.ts';

/** A part of JSON is held as a whole; parts are made far smaller than this. */
const PART_LIMIT = 256 * 2 ** 20;

export interface ArchiveEntry {
  readonly name: string;
  /** The bytes, to be read before the next entry is asked for. */
  readonly content: AsyncIterable<Uint8Array>;
  json(): Promise<unknown>;
  /** One JSON value a line. */
  lines(): Promise<unknown[]>;
}

/** The entries of a tar, one after the other, as its bytes come in. */
export async function* readArchive(source: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const input = Readable.from(source, { objectMode: false });
  input.on('error', (error) => tar.destroy(error));
  input.pipe(tar);
  try {
    for await (const entry of tar) {
      if (entry.header.type === 'file')
        yield toEntry(entry.header.name, entry as AsyncIterable<unknown> as AsyncIterable<Uint8Array>);
      // What nobody wanted to read stands in the way of the next one.
      entry.resume();
    }
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException;
    // A file that is not there, or a client that has left, is not the archive's fault.
    const isOthers = error instanceof ServiceError || name === 'AbortError' || code !== undefined;
    throw isOthers ? error : damaged('it is no tar, or it was cut off', error);
  } finally {
    input.destroy();
  }
}

function toEntry(name: string, bytes: AsyncIterable<Uint8Array>): ArchiveEntry {
  const content = told(bytes);
  const text = async () => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > PART_LIMIT) throw damaged(`'${name}' is too large`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  };
  const parse = (json: string): unknown => {
    try {
      return JSON.parse(json);
    } catch (error) {
      throw damaged(`'${name}' is not JSON`, error);
    }
  };
  return {
    name,
    content,
    json: async () => parse(await text()),
    lines: async () => (await text()).split('\n').filter(Boolean).map(parse),
  };
}

async function* told(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw damaged('it was cut off', error);
  }
}
