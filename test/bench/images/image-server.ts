/** Servers of images to compare with, each as little as can be: Node with sharp, and ipx. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createIPX, createIPXNodeServer, ipxFSStorage } from 'ipx';
import sharp, { type Sharp } from 'sharp';
import { answerParent } from '../answer-parent.ts';

export interface ImageServerOrder {
  /** `ipx`: as it comes. */
  readonly kind: 'bare' | 'ipx' | 'ipx-tuned';
  readonly folder: string;
}

const TYPES: Readonly<Record<string, string>> = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' };

/**
 * `/source.jpeg?w=300&h=200`: with the settings that our hosts have. `/source.jpeg?widths=300,400`: one decode, then a
 * image of each width, one after the other in the answer.
 */
function bare(folder: string): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://here');
    const format = url.pathname.slice(url.pathname.lastIndexOf('.') + 1);
    const [width, height] = ['w', 'h'].map((name) => Number(url.searchParams.get(name)));
    const widths = url.searchParams.get('widths');
    const image = sharp(join(folder, url.pathname), { sequentialRead: true }).autoOrient();
    const made =
      widths === null
        ? encoded(image.resize(width, height, { fit: 'fill' }), format)
        : ofEachWidth(image, widths.split(',').map(Number), format);
    made.then(
      (body) => {
        response.writeHead(200, { 'content-type': TYPES[format] ?? '', 'content-length': body.length });
        response.end(body);
      },
      (error) => response.writeHead(500).end(String(error)),
    );
  };
}

function encoded(image: Sharp, format: string): Promise<Buffer> {
  if (format === 'jpeg') image.jpeg({ quality: 85 });
  else if (format === 'webp') image.webp({ quality: 85 });
  else image.png();
  return image.toBuffer();
}

async function ofEachWidth(image: Sharp, widths: readonly number[], format: string): Promise<Buffer> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const all = widths.map((one) =>
    encoded(sharp(data, { raw: { width, height, channels } }).resize(one), format),
  );
  return Buffer.concat(await Promise.all(all));
}

function handler({ kind, folder }: ImageServerOrder): RequestListener {
  if (kind !== 'ipx') {
    sharp.concurrency(1);
    sharp.cache(false);
  }
  if (kind === 'bare') return bare(folder);
  return createIPXNodeServer(createIPX({ storage: ipxFSStorage({ dir: folder }) })) as RequestListener;
}

answerParent(async (order: ImageServerOrder): Promise<number> => {
  const server = createServer(handler(order));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
});
