/** A receiver in a process of its own: `/healthy/…` takes, `/slow/…` never answers, `/failing/…` answers 500. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from '../answer-parent.ts';

/** `take`: what came since the last time, where, the codename of the first item and when, ms since 1970. */
export type ReceiverOrder =
  | { readonly do: 'listen' }
  | { readonly do: 'keep'; readonly bodies: boolean }
  | { readonly do: 'take' };

export interface ReceiverReply {
  readonly port: number;
  readonly received: readonly (readonly [path: string, name: string, at: number])[];
}

let keepsBodies = false;
let received: [string, string, number][] = [];
const now = () => performance.timeOrigin + performance.now();

const server = createServer((request, response) => {
  const at = now();
  let body = '';
  if (keepsBodies) request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
  else request.resume();
  request.on('end', () => {
    if (keepsBodies) received.push([request.url ?? '', /"codename":"([^"]+)"/.exec(body)?.[1] ?? '', at]);
    if (request.url?.startsWith('/slow/')) return;
    response.writeHead(request.url?.startsWith('/failing/') ? 500 : 204).end();
  });
});

answerParent(async (order: ReceiverOrder): Promise<ReceiverReply> => {
  if (order.do === 'listen') await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  if (order.do === 'keep') keepsBodies = order.bodies;
  const taken = received;
  received = [];
  return { port: (server.address() as AddressInfo).port, received: taken };
});
