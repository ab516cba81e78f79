import { pack } from 'tar-stream';

/** A tar with the files, name and text of each. */
export async function tarOf(files: readonly (readonly [name: string, text: string])[]): Promise<Buffer> {
  const tar = pack();
  const chunks: Buffer[] = [];
  for (const [name, text] of files) tar.entry({ name }, text);
  tar.finalize();
  for await (const chunk of tar) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
