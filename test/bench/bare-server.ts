/** What Node alone can do: a server without any framework that sends bytes it was given. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from './answer-parent.ts';

/** Each body is at `/0`, `/1`, …; one of several fragments is joined anew for every request. */
export type BareBodies = readonly (readonly Uint8Array[])[];

let bodies: BareBodies = [];

const server = createServer((request, response) => {
  const fragments = bodies[Number(request.url?.slice(1))];
  if (!fragments) {
    response.writeHead(404).end();
    return;
  }
  const [only] = fragments;
  const body = fragments.length === 1 ? only! : Buffer.concat(fragments);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
});

answerParent(async (given: BareBodies): Promise<number> => {
  bodies = given;
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
});
