import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

export interface RawAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends raw bytes and reads until the connection closes. For input that no HTTP client would send. */
export async function rawRequest(
  url: string,
  bytes: string | Buffer,
  more: { readonly tls?: ConnectionOptions } = {},
): Promise<RawAnswer> {
  const socket = await open(url, more.tls);
  socket.write(bytes);
  return parseAnswer(await readAll(socket));
}

export function open(url: string, tls?: ConnectionOptions): Promise<Socket> {
  const { hostname: host, port, protocol } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = { host, port: Number(port) };
    const socket =
      protocol === 'https:'
        ? connectTls({ rejectUnauthorized: false, ...options, ...tls }, () => resolve(socket))
        : connect(options, () => resolve(socket));
    socket.once('error', reject);
  });
}

export function readAll(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const limit = setTimeout(() => {
      socket.destroy();
      reject(new Error(`No end of the answer within 5 s; so far: ${Buffer.concat(chunks).toString()}`));
    }, 5000);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(limit);
      resolve(Buffer.concat(chunks));
    });
  });
}

export function parseAnswer(bytes: Buffer): RawAnswer {
  const text = bytes.toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) throw new Error(`This is no HTTP answer: ${JSON.stringify(text.slice(0, 200))}`);
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(line.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** `GET path` with the headers and `Connection: close`. */
export function get(path: string, headers: Record<string, string> = {}): string {
  const all = { Host: 'localhost', Connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
