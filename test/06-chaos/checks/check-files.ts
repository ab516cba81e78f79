import { createHash } from 'node:crypto';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import sharp from 'sharp';
import type { RunningCore } from '../../../core/compose/create-core.ts';
import { blobName } from '../../../core/storage/blobs/blob-name.ts';
import { type ImageRead, WIDTH } from '../clients/images.ts';
import type { Engines } from '../cluster/engines.ts';
import type { Evidence } from './evidence.ts';

/** Names the installation that uses the bucket. */
const OWNER = 'headwater.json';

/** Each file that was answered 2xx is recorded, each recorded one is stored, and each stored one has the hash of its name. */
export async function checkFiles(
  core: RunningCore,
  { images }: Evidence,
  { s3 }: Engines,
  bucket: string,
): Promise<void> {
  const files = await core.operations.storage.sql.all<{ id: string; hash: string }>(
    'SELECT id, hash FROM file',
  );
  const recorded = new Map(files.map(({ id, hash }) => [id, hash]));
  for (const { id, hash } of images.uploads)
    expect(recorded.get(id), `the uploaded file ${id}`).to.equal(hash);
  const stored = new Set<string>();
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  for (const { Key = '' } of Contents) {
    if (Key === OWNER) continue;
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key }));
    const hash = createHash('sha256')
      .update(await Body!.transformToByteArray())
      .digest('hex');
    expect(Key, 'the name of a stored file').to.equal(blobName(hash));
    stored.add(hash);
  }
  for (const { id, hash } of files) expect(stored, `the stored file of ${id}`).to.include(hash);
}

export async function checkImages({ images }: Evidence): Promise<void> {
  for (const read of images.reads) await checkImage(read);
}

async function checkImage({ upload, via, isTransformed, bytes }: ImageRead): Promise<void> {
  const what = `${upload.id}${isTransformed ? ', transformed,' : ''} through ${via}`;
  if (isTransformed) expect((await sharp(bytes).metadata()).width, what).to.be.at.most(WIDTH);
  else expect(createHash('sha256').update(bytes).digest('hex'), what).to.equal(upload.hash);
}
