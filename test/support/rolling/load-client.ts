/** A client with connections that stay open, and what it may do. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { ADMIN_TOKEN } from './installation.ts';

/** Longer than any timeout of the service that a client should see. */
const ANSWER_MS = 20_000;
const CONNECTIONS = 64;

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
  readonly #url: string;
  readonly #agent: Agent;
  /** Of the project that is managed. */
  project = '';
  key = '';

  /**
   * @param url `https://host:port`
   * @param ca PEM of its certificate
   */
  constructor(url: string, ca: string) {
    this.#url = url;
    this.#agent = new Agent({ ca, keepAlive: true, maxSockets: CONNECTIONS });
  }

  async send(path: string, { method = 'GET', headers, body }: LoadCall = {}): Promise<Answer> {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const call = request(this.#url + path, { agent: this.#agent, method, headers, signal });
    call.end(body);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, body: await buffer(answer) };
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
    this.#agent.destroy();
  }
}
