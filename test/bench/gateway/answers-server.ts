/** What Node alone can do with a ready answer: one `writeHead` with a flat list of headers, one `end`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from '../answer-parent.ts';

export interface ReadyAnswer {
  readonly status: number;
  /** Names and values in turn, without those that Node adds. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

let answers: readonly ReadyAnswer[] = [];

const server = createServer((request, response) => {
  const { status, headers, body } = answers[Number(request.url?.slice(1))]!;
  response.writeHead(status, headers as string[]);
  if (status === 304) response.end();
  else response.end(body);
});

answerParent(async (given: readonly ReadyAnswer[]): Promise<number> => {
  answers = given;
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
});
