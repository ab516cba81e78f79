import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reachableHost } from '../../config/url-host.ts';
import { type HealthPath, type HealthReport, healthAnswer } from '../../core/contract.ts';

export interface ProbeServerOptions {
  readonly host: string;
  readonly port: number;
  health(): Promise<HealthReport>;
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
}

export interface RunningProbeServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `/health/live`, `/health/ready`, `/health` and `/metrics` of a process that serves no API; neither has secrets. */
export async function serveProbes(options: ProbeServerOptions): Promise<RunningProbeServer> {
  const { host, port } = options;

  async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
    switch (path) {
      case '/health/live':
      case '/health/ready':
      case '/health': {
        const detail = (path.slice('/health'.length) || '/') as HealthPath;
        const { status, body } = await healthAnswer(detail, () => options.health());
        return sendJson(response, status, body);
      }
      case '/metrics': {
        const { type, text } = await options.metrics();
        response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
        return;
      }
      default:
        return sendJson(response, 404, {
          message: 'There are /health/live, /health/ready, /health and /metrics.',
        });
    }
  }

  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendJson(response, 405, { message: 'Health and metrics are read with GET or HEAD.' });
    }
    answer(request.url?.split('?', 1)[0], response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${reachableHost(address)}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(JSON.stringify(body));
}
