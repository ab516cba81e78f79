import { Readable } from 'node:stream';
import type { CallTiming } from '../../call-timing.ts';
import type { Core } from '../../compose/core.ts';
import { ServiceError } from '../../errors.ts';
import type { CoreAnswer, CoreRequest } from '../../http/request.ts';
import type { CoreLog } from '../../log.ts';
import type { CallName, Calls } from '../protocol/calls.ts';
import { bodyHash } from '../protocol/signature.ts';
import { type AnswerHead, type ErrorBody, type RequestHead, toHeader } from '../protocol/wire.ts';
import { CoreConnection, NotBegun, type Reply } from './core-connection.ts';
import { FeedLink } from './feed-link.ts';
import { RemoteFeed } from './remote-feed.ts';

export interface RemoteCoreOptions {
  /** As the setting `cores` has them. */
  readonly cores: readonly string[];
  readonly token: string;
  readonly log: CoreLog;
}

/** Keys that were used are sent together after this time. */
const KEYS_USED_MS = 1000;

/** Core in other processes. */
export function connectCore(options: RemoteCoreOptions): Core {
  const { log } = options;
  const connections = options.cores.map((name) => new CoreConnection(name, options.token));
  const feed = new RemoteFeed((err) =>
    log.error({ err }, 'A listener of the change feed failed; its cache may be out of date.'),
  );
  const links = connections.map((one) => new FeedLink(one, feed, log));
  const usedKeys = new Set<string>();
  const timer = setInterval(sendUsedKeys, KEYS_USED_MS).unref();

  /** The core with the fewest calls in progress. */
  function choose(except: ReadonlySet<CoreConnection>): CoreConnection | undefined {
    let best: CoreConnection | undefined;
    for (const one of connections) {
      if (!except.has(one) && (best === undefined || one.running < best.running)) best = one;
    }
    return best;
  }

  async function attempt(
    call: (connection: CoreConnection) => Promise<Reply>,
    isRepeatable: boolean,
  ): Promise<Reply> {
    const tried = new Set<CoreConnection>();
    let last: unknown;
    for (let one = choose(tried); one !== undefined; one = choose(tried)) {
      tried.add(one);
      try {
        return await call(one);
      } catch (error) {
        last = error;
        if (!(error instanceof NotBegun) && !isRepeatable) break;
      }
    }
    throw last;
  }

  async function json<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
  ): Promise<Calls[Name]['output']> {
    const body = Buffer.from(JSON.stringify(input));
    const reply = await attempt((one) => one.call(`/calls/${name}`, bodyHash(body), body), true).catch(
      unreachable,
    );
    const text = await textOf(reply);
    if (reply.outcome === 'error') throw toError(text);
    return JSON.parse(text) as Calls[Name]['output'];
  }

  async function handle({ body, signal, timing, ...request }: CoreRequest): Promise<CoreAnswer> {
    const head = toHeader({ ...request, hasBody: body !== undefined } satisfies RequestHead);
    const sent = body && Readable.from(body, { objectMode: false });
    let failure: unknown;
    sent?.on('error', (error) => {
      failure = error;
    });
    const isRepeatable = body === undefined && request.method === 'GET';
    const reply = await attempt(
      (one) => one.call('/requests', head, sent ?? null, signal),
      isRepeatable,
    ).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      // What the gateway found wrong with the body, for example that it is too large.
      if (failure !== undefined) throw failure;
      return unreachable(error);
    });
    if (reply.outcome === 'error') throw toError(await textOf(reply), timing);
    const { body: kind, timing: taken, ...answer } = JSON.parse(reply.head) as AnswerHead;
    if (timing) Object.assign(timing, taken);
    if (kind === 'stream') return { ...answer, body: streamOf(reply.body) };
    const bytes = await bytesOf(reply);
    return { ...answer, body: kind === 'none' ? null : [bytes] };
  }

  function sendUsedKeys(): void {
    if (usedKeys.size === 0) return;
    const keys = [...usedKeys];
    usedKeys.clear();
    json('keys-used', { keys }).catch(() => {
      for (const key of keys) usedKeys.add(key);
    });
  }

  return {
    handle,
    access: {
      project: async (id) => (await json('project', { id })) ?? undefined,
      key: async (hash) => (await json('key', { hash })) ?? undefined,
      isAdminToken: (hash) => json('admin-token', { hash }),
      used: (key) => usedKeys.add(key),
    },
    usage: {
      add: async (batch) => {
        await json('usage', batch);
      },
      quotas: (project) => json('quotas', { project }),
    },
    feed,
    openapi: () => json('openapi', null),
    health: () =>
      json('health', null).catch((error: ServiceError) => ({
        ok: false,
        parts: {
          core: { ok: false, detail: String((error.cause as Error | undefined)?.message ?? error.message) },
        },
      })),
    async close() {
      clearInterval(timer);
      sendUsedKeys();
      await Promise.all(links.map((link) => link.close()));
      await Promise.all(connections.map((one) => one.close()));
    },
  };
}

function unreachable(cause: unknown): never {
  throw new ServiceError('unavailable', 'The service cannot answer at the moment; try again shortly.', {
    headers: { 'retry-after': '1' },
    cause,
  });
}

/** @param timing gets what core reports */
function toError(text: string, timing?: CallTiming): ServiceError {
  const { errorName, message, timing: taken, ...more } = JSON.parse(text) as ErrorBody;
  if (timing) Object.assign(timing, taken);
  return new ServiceError(errorName, message, more);
}

async function textOf(reply: Reply): Promise<string> {
  return (await bytesOf(reply)).toString();
}

async function bytesOf({ body }: Reply): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of body as AsyncIterable<Buffer>) pieces.push(piece);
  } catch (error) {
    return unreachable(error);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/** Ends the call where the reader returns early, also before its first read. */
function streamOf(body: Readable): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const source = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      return {
        next: () => source.next(),
        return: async () => {
          body.on('error', () => {}).destroy();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
