import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { Random } from '../../support/random/random.ts';
import type { Requests } from './requests.ts';

const PAUSE_MS = 250;
const SIZE = 64;
export const WIDTH = 16;

/** A file that was answered 2xx. */
export interface Upload {
  readonly project: string;
  readonly id: string;
  readonly hash: string;
}

/** What a reader of images got with 200. */
export interface ImageRead {
  readonly upload: Upload;
  readonly via: string;
  readonly isTransformed: boolean;
  readonly bytes: Buffer;
}

export interface Images {
  readonly uploads: readonly Upload[];
  readonly reads: readonly ImageRead[];
}

/** Uploads images, and reads them as they are and transformed. */
export async function useImages(
  { project, key }: { readonly project: string; readonly key: string },
  requests: Requests,
  random: Random,
  isOver: () => boolean,
): Promise<Images> {
  const uploads: Upload[] = [];
  const reads: ImageRead[] = [];
  while (!isOver()) {
    const body = await image(random);
    const { answer } = await requests.send('manage', `/manage/v2/projects/${project}/files/a.png`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
      body,
    });
    if (answer?.status === 200) {
      const { id } = JSON.parse(answer.body) as { id: string };
      uploads.push({ project, id, hash: createHash('sha256').update(body).digest('hex') });
    }
    for (let times = 0; times < 3 && uploads.length > 0; times += 1) {
      const upload = random.pick(uploads);
      const isTransformed = random.chance(0.5);
      // A height of its own, so that it is not in a cache.
      const query = isTransformed ? `?w=${WIDTH}&h=${random.int(4, SIZE)}` : '';
      const { answer: shown, via } = await requests.send(
        'assets',
        `/assets/${project}/${upload.id}/a.png${query}`,
      );
      if (shown?.status === 200) reads.push({ upload, via, isTransformed, bytes: shown.bytes });
    }
    await requests.pause(PAUSE_MS);
  }
  return { uploads, reads };
}

function image(random: Random): Promise<Buffer> {
  const pixels = Buffer.from(Array.from({ length: SIZE * SIZE * 3 }, () => random.int(0, 255)));
  return sharp(pixels, { raw: { width: SIZE, height: SIZE, channels: 3 } })
    .png()
    .toBuffer();
}
