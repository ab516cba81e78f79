/** A project with files, and a client that keeps answers as bytes. */
import { createAsset } from '../../../core/assets/assets.ts';
import { addFile, receiveFile } from '../../../core/assets/files.ts';
import { conforms } from '../clients/openapi-conformance.ts';
import type { ServiceOptions } from '../service/start-service.ts';
import { type ManageService, startManage } from './manage-service.ts';

export interface BytesAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export interface StoredAsset {
  readonly id: string;
  readonly file: string;
  /** Absolute, without parameters. */
  readonly url: string;
}

export interface AssetService extends ManageService {
  /** Puts a file into the project as an asset, without the management API. */
  store(name: string, type: string, content: Uint8Array): Promise<StoredAsset>;
}

export async function startAssets(options: ServiceOptions = {}): Promise<AssetService> {
  const managed = await startManage(options);
  const { service, project } = managed;
  return {
    ...managed,
    async store(name, type, bytes) {
      const content = await receiveFile(service.core.operations.blobs, bytes);
      return service.core.operations.inProject(project.id, null, async (transaction) => {
        const file = await addFile(transaction, { name, type, content });
        const asset = await createAsset(transaction, { file: file.id });
        const url = `${service.url}/assets/${project.id}/${file.id}/${encodeURIComponent(name)}`;
        return { id: asset.id, file: file.id, url };
      });
    },
  };
}

/** Sends a request and checks the answer against the OpenAPI document. */
export async function getBytes(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<BytesAnswer> {
  const response = await fetch(url, { method, headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = (response.headers.get('content-type') ?? '').startsWith('application/json');
  conforms(
    {
      method,
      url,
      status: response.status,
      headers: response.headers,
      body: isText ? bytes.toString() : bytes.toString('latin1'),
    },
    'assets',
  );
  return { status: response.status, headers: response.headers, bytes };
}
