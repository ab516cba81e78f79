/** Reads one secret from a file, as `HEADWATER_…_FILE` names it. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** More than any secret has, a chain of certificates with its key included. */
const LONGEST_BYTES = 65_536;

/** The content without one newline at its end, or the rule that the file breaks. No rule contains the content. */
export function readSecretFile(path: string): { readonly text: string } | { readonly rule: string } {
  let content: Buffer;
  try {
    // A pipe or a device could block the start.
    if (!statSync(path).isFile()) return { rule: 'must name a file' };
    content = readUpTo(path, LONGEST_BYTES + 1);
  } catch (error) {
    return { rule: `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
  if (content.length > LONGEST_BYTES)
    return { rule: `names a file that is too large for a secret: more than ${LONGEST_BYTES} bytes` };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content).replace(/\r?\n$/, '');
    return text === '' ? { rule: 'names an empty file' } : { text };
  } catch {
    return { rule: 'names a file that is not UTF-8 text' };
  }
}

function readUpTo(path: string, bytes: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const content = Buffer.alloc(bytes);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes; length += read)
      read = readSync(file, content, length, bytes - length, null);
    return content.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
