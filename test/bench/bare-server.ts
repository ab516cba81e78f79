/** What Node alone can do: a server without any framework that sends bytes it was given. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from './answer-parent.ts';

/** A body in fragments, all of one kind; more than one are joined anew for every request. */
export type BareBody = readonly Uint8Array[] | readonly string[];

let bodies: readonly BareBody[] = [];

const server = createServer((request, response) => {
  const fragments = bodies[Number(request.url?.slice(1))];
  if (!fragments) {
    response.writeHead(404).end();
    return;
  }
  const body = joined(fragments);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
});

function joined(fragments: BareBody): Uint8Array {
  const [first] = fragments;
  if (typeof first === 'string') return Buffer.from(fragments.join(''));
  return fragments.length === 1 ? first! : Buffer.concat(fragments as readonly Uint8Array[]);
}

answerParent(async (given: readonly BareBody[]): Promise<number> => {
  bodies = given;
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
});
