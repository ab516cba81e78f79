import { accessSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, startChild } from '../child.ts';
import { childrenOf } from '../process-usage.ts';
import { cleanEnvironment, start } from '../processes.ts';
import { freePort } from '../service.ts';
import type { ImageServerOrder } from './image-server.ts';
import { type Format, fileName } from './sources.ts';

/** A server of images: its address and the form of its URLs. */
export interface Peer {
  readonly port: number;
  /** Path of an image scaled to a width and height that differ from request to request. */
  path(format: Format): string;
  /** Its processes, as far as their CPU time is reported. */
  pids?(): readonly number[];
}

/**
 * 158,800 sizes between 300 × 200 and 699 × 596, no two alike in a row: `{n…}` is filled in by the load client.
 */
export const WIDTH = '{n%400+300}';
export const HEIGHT = '{n%397+200}';

export async function startImageServer(kind: ImageServerOrder['kind'], folder: string): Promise<Peer> {
  // As many transforms at once as Node has pool threads: four, more than there are cores here.
  const child: Child<ImageServerOrder, number> = startChild('images/image-server.ts', {
    // `glibc` keeps an arena a thread; both that are tuned get what our hosts have.
    environment: kind === 'ipx' ? {} : { MALLOC_ARENA_MAX: '2' },
  });
  const port = await child.ask({ kind, folder });
  return {
    port,
    pids: () => [child.pid],
    path: (format) =>
      kind === 'bare'
        ? `/${fileName(format)}?w=${WIDTH}&h=${HEIGHT}`
        : `/s_${WIDTH}x${HEIGHT},fit_fill,q_85/${fileName(format)}`,
  };
}

const MODULES = ['/usr/lib/nginx/modules', '/usr/lib64/nginx/modules', '/usr/share/nginx/modules'];

/**
 * nginx over a folder: files as they are at `/files/`, resized by image_filter at `/small/`.
 *
 * @param workers its processes; `auto` is one for each processor
 * @param headers names and values in turn, added to files
 */
export async function startNginx(
  folder: string,
  workers: number | 'auto' = 'auto',
  headers: readonly string[] = [],
): Promise<Required<Peer>> {
  const port = await freePort();
  const filter = MODULES.map((modules) => join(modules, 'ngx_http_image_filter_module.so')).find(isThere);
  if (filter === undefined)
    throw new Error('nginx has no image_filter here (libnginx-mod-http-image-filter).');
  const config = join(folder, `nginx-${workers}.conf`);
  const added = headers.flatMap((name, at) =>
    at % 2 === 0 ? [`add_header ${name} ${JSON.stringify(headers[at + 1])};`] : [],
  );
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  await writeFile(
    config,
    `load_module ${filter}; daemon off; pid ${folder}/nginx-${workers}.pid; worker_processes ${workers};
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 2048; }
    http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; ${own.join(' ')}
      types { image/jpeg jpeg; image/png png; image/webp webp; }
      server { listen 127.0.0.1:${port} backlog=2048;
        location /files/ { alias ${folder}/; ${added.join(' ')} }
        location /small/ { alias ${folder}/; image_filter resize $arg_w $arg_h; image_filter_buffer 40M;
          image_filter_jpeg_quality 85; image_filter_webp_quality 85; } } }`,
  );
  const { pid = 0 } = start('nginx', ['-p', folder, '-c', config, '-e', join(folder, 'nginx.log')], {
    stdio: 'ignore',
    env: cleanEnvironment({ PATH: `${process.env.PATH}:/usr/sbin` }),
  });
  await answers(port);
  return {
    port,
    pids: () => childrenOf(pid),
    path: (format) => `/small/${fileName(format)}?w=${WIDTH}&h=${HEIGHT}`,
  };
}

function isThere(file: string): boolean {
  try {
    accessSync(file);
    return true;
  } catch {
    return false;
  }
}

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (
      await fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('nginx does not answer.');
}
