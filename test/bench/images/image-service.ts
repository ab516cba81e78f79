import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Bench } from '../benchmark.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';
import { childrenOf } from '../process-usage.ts';
import { HEIGHT, type Peer, WIDTH } from './peers.ts';
import { FORMATS, type Format, fileName } from './sources.ts';

export interface ImageService extends Peer, ManagedService {
  /** Path of the image itself. */
  readonly files: Readonly<Record<Format, string>>;
  /** A number of the metrics page. */
  metric(name: string): Promise<number>;
}

/** The built service with the images of a folder as files of a project. */
export async function startImages(
  { datasets }: Bench,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ImageService> {
  // Its own data: what another measure had made is kept on disk, and would not be made again here.
  const dataset = await datasets.copy(await datasets.of(1000), `${basename(folder)}-images`);
  const service = await startManaged(dataset, settings);
  const files = {} as Record<Format, string>;
  for (const format of FORMATS) {
    files[format] = await upload(
      service,
      fileName(format),
      `image/${format}`,
      await readFile(join(folder, fileName(format))),
    );
  }
  return {
    ...service,
    files,
    pids: () => [service.pid, ...childrenOf(service.pid)],
    path: (format) => `${files[format]}?w=${WIDTH}&h=${HEIGHT}&fit=scale`,
    async metric(name) {
      const page = await (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
      const values = page.split('\n').filter((line) => line.startsWith(name));
      return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
  };
}

export async function upload(
  service: ManagedService,
  name: string,
  type: string,
  body: Uint8Array,
): Promise<string> {
  const url = `http://127.0.0.1:${service.port}${service.base}/files/${name}`;
  const headers = { ...service.headers, 'Content-Type': type };
  const answer = await fetch(url, { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> });
  const { id } = (await answer.json()) as { readonly id: string };
  if (!answer.ok) throw new Error(`The upload of ${name} answered ${answer.status}.`);
  const project = service.base.slice(service.base.lastIndexOf('/') + 1);
  return `/assets/${project}/${id}/${name}`;
}
