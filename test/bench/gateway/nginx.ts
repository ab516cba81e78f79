import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { end, start } from '../processes.ts';
import { freePort } from '../service.ts';

/** One worker, of the same user because the folder is ours alone, that keeps answers of the upstream in its own cache. */
export async function startNginx(
  folder: string,
  upstream: number,
): Promise<{ readonly port: number; end(): Promise<void> }> {
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  await writeFile(
    path('nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid ${path('pid')}; error_log ${path('error.log')};
events { worker_connections 256; }
http {
  access_log ${path('access.log')} combined buffer=64k flush=1s;
  client_body_temp_path ${path('body')}; proxy_temp_path ${path('proxy')};
  fastcgi_temp_path ${path('fastcgi')}; uwsgi_temp_path ${path('uwsgi')}; scgi_temp_path ${path('scgi')};
  proxy_cache_path ${path('cache')} keys_zone=all:10m;
  keepalive_requests 10000000; keepalive_timeout 75s;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${upstream};
      proxy_cache all;
      proxy_ignore_headers Cache-Control Vary;
      proxy_cache_valid 200 10m;
    }
  }
}
`,
  );
  const child = start('nginx', ['-c', path('nginx.conf'), '-p', folder], { stdio: 'ignore' });
  for (let turn = 0; turn < 100; turn += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer) return { port, end: () => end(child) };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nginx did not start; is it installed?');
}
