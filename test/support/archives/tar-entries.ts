/** Archives as lists of entries, so that tests can change them. */
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract, type Headers, pack } from 'tar-stream';
import type { Operations } from '../../../core/transaction/operations.ts';
import { exportProject } from '../../../core/transfer/export-project.ts';

export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
  /** A file when not given. */
  readonly type?: Headers['type'];
}

/** What export writes of a project. */
export async function archiveOf(
  operations: Pick<Operations, 'storage' | 'blobs'>,
  project: string,
): Promise<Buffer> {
  const into = new PassThrough();
  const bytes = buffer(into);
  await exportProject(operations, project, into, {
    archive: '0f0f0f0f-0000-4000-8000-000000000001',
    created: '2030-01-01T00:00:00.0000000Z',
  });
  return bytes;
}

export async function readEntries(archive: Buffer): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  const tar = extract();
  Readable.from([archive]).pipe(tar);
  for await (const entry of tar)
    entries.push({ name: entry.header.name, content: await buffer(entry as unknown as Readable) });
  return entries;
}

export async function writeEntries(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  const bytes = buffer(tar as unknown as Readable);
  for (const { name, content, type = 'file' } of entries) {
    const linkname = type === 'link' || type === 'symlink' ? '/etc/passwd' : undefined;
    const header = { name, type, size: type === 'file' ? content.length : 0 };
    tar.entry(linkname === undefined ? header : { ...header, linkname }, type === 'file' ? content : '');
  }
  tar.finalize();
  return bytes;
}
