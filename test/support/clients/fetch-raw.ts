import { Agent, request } from 'node:http';

/** Headers and bytes as received: not decompressed, redirects not followed. */
export interface RawAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  readonly body: string;
}

const agent = new Agent({ keepAlive: true, keepAliveMsecs: 1000, maxSockets: 64 });

export function fetchRaw(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, method, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers as Record<string, string>,
          bytes,
          body: bytes.toString(),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
