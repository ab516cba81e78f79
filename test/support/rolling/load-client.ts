/** A client with connections that stay open, and what it may do. */
import { Pool } from 'undici';
import { ADMIN_TOKEN } from './installation.ts';

/** Longer than any timeout of the service that a client should see. */
const ANSWER_MS = 20_000;
export const CONNECTIONS = 64;

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

export interface LoadCall {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export class LoadClient {
  readonly #pool: Pool;
  /** Of the project that is managed. */
  project = '';
  key = '';

  /**
   * @param url `https://host:port`
   * @param ca PEM of its certificate
   */
  constructor(url: string, ca: string) {
    this.#pool = new Pool(url, { connect: { ca }, connections: CONNECTIONS });
  }

  async send(path: string, { method = 'GET', headers = {}, body }: LoadCall = {}): Promise<Answer> {
    const answer = await this.#pool.request({
      path,
      method: method as 'GET',
      headers: { ...headers },
      body: body ?? null,
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
    });
    return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
  }

  /** @throws Error for another status */
  async expect(status: number, path: string, call: LoadCall = {}): Promise<Answer> {
    const answer = await this.send(path, call);
    if (answer.status === status) return answer;
    const text = answer.body.toString().slice(0, 200);
    throw new Error(`${call.method ?? 'GET'} ${path} got ${answer.status}: ${text}`);
  }

  manage(status: number, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.expect(status, `/manage/v2/projects/${this.project}${encodeURI(path)}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async admin(path: string, body: unknown): Promise<Record<string, unknown>> {
    const { body: answer } = await this.expect(201, `/admin${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return JSON.parse(answer.toString()) as Record<string, unknown>;
  }

  close(): void {
    void this.#pool.destroy();
  }
}
