/**
 * What a client of PostgreSQL alone can do: the statements of a delivery request, recorded from the built core and sent
 * again with nothing before, between or after them.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { answerParent } from '../answer-parent.ts';
import { built } from '../built.ts';

export type BareClientOrder =
  | {
      readonly do: 'record';
      readonly url: string;
      readonly folder: string;
      /** Path with query of a delivery request, below its prefix; `{n}` is another number each time. */
      readonly path: string;
    }
  | { readonly do: 'run'; readonly requests: number }
  /** A bare HTTP server that runs the statements for each request and answers with the body. */
  | { readonly do: 'serve'; readonly body: Uint8Array };

export interface BareClientReply {
  readonly perSecond: number;
  /** Statements of a request. */
  readonly statements: number;
  /** Of the server. */
  readonly port: number;
}

interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Read connections of a core for delivery. */
const CLIENTS = 5;
/** Requests before the recorded one, after which models and links are in memory. */
const BEFORE = 3;

let statements: readonly NamedStatement[] = [];
let clients: readonly pg.Client[] = [];

async function record(url: string, folder: string, path: string): Promise<void> {
  const { createCore } =
    await built<typeof import('../../../core/compose/create-core.ts')>('core/compose/create-core');
  const { READER_SESSION } = await built<typeof import('../../../core/storage/postgres/reader-session.ts')>(
    'core/storage/postgres/reader-session',
  );
  const log = { info() {}, warn() {}, error: (fields: object, text: string) => console.error(text, fields) };
  const vendor = { header: ['SVC'], mediaType: 'service' };
  const core = await createCore({ dataDir: folder, databaseUrl: url, vendor, log, isCommand: true });
  const found: NamedStatement[][] = [];
  const real = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [statement] = given as [NamedStatement];
    if (statement?.name) found.at(-1)?.push(statement);
    return real.apply(this, given);
  } as typeof pg.Client.prototype.query;
  for (let count = 0; count <= BEFORE; count += 1) {
    const [address, query = ''] = path.replaceAll('{n}', `${count}`).split('?');
    found.push([]);
    const { status } = await core.handle({
      surface: 'delivery',
      method: 'GET',
      path: address!,
      query,
      headers: {},
      bases: { self: 'http://localhost/delivery', assets: 'http://localhost/assets' },
      principal: { kind: 'anonymous' },
      requestId: 'bench',
    });
    if (status !== 200) throw new Error(`${path} was answered with ${status}.`);
  }
  pg.Client.prototype.query = real as typeof pg.Client.prototype.query;
  await core.close();
  // What core does besides is not in every request.
  const [before, last] = found.slice(-2);
  statements = last!.filter(({ name }) => before!.some((other) => other.name === name));
  if (statements.length === 0) throw new Error(`${path} needs no statement.`);
  clients = Array.from({ length: CLIENTS }, () => new pg.Client(url));
  for (const client of clients) {
    await client.connect();
    await client.query(READER_SESSION);
  }
}

async function send(client: pg.Client): Promise<void> {
  for (const { name, text, values } of statements) await client.query({ name, text, values: [...values] });
}

async function run(requests: number): Promise<number> {
  let left = requests;
  const began = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      while (left-- > 0) await send(client);
    }),
  );
  return (requests / (performance.now() - began)) * 1000;
}

async function serve(body: Uint8Array): Promise<number> {
  let next = 0;
  const turns: Promise<void>[] = clients.map(() => Promise.resolve());
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };
  const server = createServer(async (_, response) => {
    const turn = next++ % CLIENTS;
    turns[turn] = turns[turn]!.then(() => send(clients[turn]!));
    await turns[turn];
    response.writeHead(200, headers).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

answerParent(async (order: BareClientOrder): Promise<BareClientReply> => {
  if (order.do === 'record') await record(order.url, order.folder, order.path);
  const perSecond = order.do === 'run' ? await run(order.requests) : 0;
  const port = order.do === 'serve' ? await serve(order.body) : 0;
  return { perSecond, statements: statements.length, port };
});
