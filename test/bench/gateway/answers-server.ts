/** What Node alone can do with a ready answer: one `writeHead`, one `end`; over HTTP, HTTPS and HTTP/2. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { answerParent } from '../answer-parent.ts';

export interface ReadyAnswer {
  readonly status: number;
  /** Names and values in turn, without those that Node adds. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

export interface ReadyAnswers {
  /** The first is at `/0`, the next at `/1`, and so on. */
  readonly answers: readonly ReadyAnswer[];
  /** Of both servers with TLS, in PEM. */
  readonly key: string;
  readonly cert: string;
}

export interface AnswersPorts {
  readonly http: number;
  readonly https: number;
  readonly http2: number;
}

answerParent(async ({ answers, key, cert }: ReadyAnswers): Promise<AnswersPorts> => {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = answers[Number(request.url?.slice(1))]!;
    response.writeHead(status, headers as string[]);
    if (status === 304) response.end();
    else response.end(body);
  };
  // HTTP/2 takes an object.
  const objects = answers.map(({ headers }) =>
    Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]!]] : []))),
  );
  const answer2 = (request: Http2ServerRequest, response: Http2ServerResponse) => {
    const at = Number(request.url.slice(1));
    response.writeHead(answers[at]!.status, objects[at]!);
    response.end(answers[at]!.body);
  };
  return {
    http: await listening(createServer(answer)),
    https: await listening(createHttpsServer({ key, cert }, answer)),
    http2: await listening(createSecureServer({ key, cert }, answer2)),
  };
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
