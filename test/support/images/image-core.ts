/** Core with counting workers over a data folder that can be opened again; images are requested without HTTP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProject } from '../../../core/access/projects.ts';
import { addFile, receiveFile } from '../../../core/assets/files.ts';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { CoreAnswer } from '../../../core/contract.ts';
import type { ImageSettings } from '../../../core/images/limits.ts';
import { SILENT } from '../service/core-settings.ts';
import { openCore } from '../service/open-core.ts';
import { CountingWorkers } from './counting-workers.ts';

export interface ImageAnswer {
  readonly status: number;
  readonly headers: CoreAnswer['headers'];
  readonly tags: CoreAnswer['tags'];
  readonly bytes: Buffer;
}

export class ImageCore {
  readonly dataDir: string;
  core: RunningCore;
  workers = new CountingWorkers();
  readonly warnings: string[] = [];
  readonly #images: Partial<ImageSettings>;
  #project = '';

  private constructor(dataDir: string, core: RunningCore, images: Partial<ImageSettings>) {
    this.dataDir = dataDir;
    this.core = core;
    this.#images = images;
  }

  static async open(images: Partial<ImageSettings> = {}): Promise<ImageCore> {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-images-'));
    const opened = new ImageCore(dataDir, undefined as unknown as RunningCore, images);
    await opened.start();
    const { id } = await opened.core.operations.installation(null, (to) =>
      createProject(to, { name: 'Images' }),
    );
    opened.#project = id;
    return opened;
  }

  async start(): Promise<void> {
    const { dataDir, workers } = this;
    const warn = (_: object, text: string) => this.warnings.push(text);
    const log = { ...SILENT, warn };
    this.core = await openCore({ dataDir, workers, images: this.#images, log });
  }

  /** @param forgetting deletes the stored results */
  async restart({ forgetting = false } = {}): Promise<void> {
    await this.core.close();
    if (forgetting) await rm(join(this.dataDir, 'cache'), { recursive: true });
    this.workers = new CountingWorkers();
    await this.start();
  }

  /** Answers the path of the file on the asset surface. */
  async store(name: string, type: string, bytes: Uint8Array): Promise<string> {
    const content = await receiveFile(this.core.operations.blobs, bytes);
    const file = await this.core.operations.inProject(this.#project, null, (transaction) =>
      addFile(transaction, { name, type, content }),
    );
    return `/${this.#project}/${file.id}/${encodeURIComponent(name)}`;
  }

  /** @throws ServiceError */
  async get(
    path: string,
    query = '',
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<ImageAnswer> {
    const answer = await this.core.handle({
      surface: 'assets',
      method: 'GET',
      path,
      query,
      headers,
      bases: { self: 'http://assets', assets: 'http://assets' },
      principal: { kind: 'anonymous' },
      requestId: 'test',
      ...(signal && { signal }),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body ?? []) pieces.push(piece);
    const { status, tags } = answer;
    return { status, headers: answer.headers, tags, bytes: Buffer.concat(pieces) };
  }

  async close(): Promise<void> {
    await this.core.close();
    await rm(this.dataDir, { recursive: true });
  }
}
