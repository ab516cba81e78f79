import { isFollowed } from '../../changes/change-feed.ts';
import type { CommitStreamReader } from '../../changes/commit-stream.ts';
import type { ReportSource } from '../../changes/gateway-reports.ts';
import type { Core } from '../../compose/core.ts';
import { ServiceError } from '../../errors.ts';
import type { HealthReport } from '../../http/health-report.ts';
import type { CoreAnswer, CoreRequest } from '../../http/request.ts';
import type { CoreLog } from '../../log.ts';
import type { ProcessState } from '../../process-identity.ts';
import type { CallName, Calls } from '../protocol/calls.ts';
import { bodyHash } from '../protocol/signature.ts';
import { PROTOCOLS, type RequestHead, toHeader } from '../protocol/wire.ts';
import { callCores } from './core-calls.ts';
import type { CoreConnection } from './core-connection.ts';
import { CoreList } from './core-list.ts';
import { FeedLink, type LinkReport } from './feed-link.ts';
import { ForeignCore } from './hello-probe.ts';
import { readAnswer, readJson } from './read-reply.ts';
import { RemoteFeed } from './remote-feed.ts';
import { RequestBody } from './request-body.ts';
import { StreamLink } from './stream-link.ts';
import { UsedKeys } from './used-keys.ts';

export interface RemoteCoreOptions {
  /** As the setting `cores` has them. */
  readonly cores: readonly string[];
  readonly token: string;
  /** PEM of the authority that signed the certificates of cores; undefined = those of the system. */
  readonly certificateAuthority?: string | undefined;
  /** What cores list of this process. */
  readonly process: () => ProcessState;
  /** Brings commits before the links do. */
  readonly stream?: CommitStreamReader | undefined;
  readonly log: CoreLog;
  /** Versions of the protocol; those of this program unless given. */
  readonly protocols?: readonly number[];
  /** Resolves a DNS name; the system's resolver unless given. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Time between two resolutions. */
  readonly resolveMilliseconds?: number;
}

/** One core of the list. */
export interface CoreFigures
  extends Pick<CoreConnection, 'name' | 'isAvailable' | 'running' | 'retries' | 'losses'> {
  readonly link: LinkReport | undefined;
}

export interface RemoteCore extends Core {
  /**
   * Resolves when each core answered or was found not to.
   * @throws an error with one sentence, if what was reached are no cores of this installation and version
   */
  greeted(): Promise<void>;
  cores(): CoreFigures[];
  /** Id of the installation; undefined as long as no core answers. */
  installation(): string | undefined;
  /** Undefined without a stream of commits. */
  readonly stream: Pick<StreamLink, 'failure' | 'commits'> | undefined;
}

/** Longest time without progress of a read; core ends its own work earlier. */
const REQUEST_MS = 60_000;
const CALL_MS = 5000;
/** Of what a request waits for: a key and its project are looked up one after the other. */
const LOOKUP_MS = 3000;
/** A read of the admin API waits for this report. */
const KEYS_USED_MS = 1000;
/** Longest time that the answer to a write waits until the caches of this gateway have the change. */
const OWN_WRITE_MS = 250;

/** Core in other processes. */
export function connectCore(options: RemoteCoreOptions): RemoteCore {
  const { token, certificateAuthority, log, protocols = PROTOCOLS } = options;
  const { resolve, resolveMilliseconds } = options;
  const feed = new RemoteFeed((error) =>
    log.error({ error }, 'A listener of the change feed failed; its cache may be out of date.'),
  );
  let report: ReportSource = async () => null;
  const list = new CoreList({
    cores: options.cores,
    token,
    certificateAuthority,
    protocols,
    resolve,
    resolveMilliseconds,
    follow: (connection) =>
      new FeedLink(connection, feed, options.process, log, options.stream !== undefined, (request) =>
        report(request),
      ),
    onChange: (connection) => logState(log, connection),
    onUnresolved: (error) => log.warn({ reason: error.message }, 'The name of the cores cannot be resolved.'),
  });
  const stream = options.stream && new StreamLink(options.stream, feed, log);
  const usedKeys = new UsedKeys((keys) => json('keys-used', { keys }, KEYS_USED_MS));

  async function json<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
    timeout = CALL_MS,
  ): Promise<Calls[Name]['output']> {
    const body = Buffer.from(JSON.stringify(input));
    const call = {
      path: `/calls/${name}`,
      head: bodyHash(body),
      body,
      timeout,
      isRepeatable: true,
    };
    try {
      return (await readJson(await callCores(list, call))) as Calls[Name]['output'];
    } catch (error) {
      throw publicError(error);
    }
  }

  /** What this gateway has shown is shown by all later answers, whichever core they come from. */
  let newest = 0;

  function requirementOf({ atLeast }: CoreRequest): Pick<RequestHead, 'atLeast' | 'isPlain'> {
    // While the feed is lost, a core may be as far behind as it is.
    if (atLeast === 'now' || !isFollowed(feed)) return { atLeast: 'now' };
    const shown = Math.max(newest, feed.position?.sequence ?? 0);
    return atLeast === undefined ? { atLeast: shown, isPlain: true } : { atLeast: Math.max(atLeast, shown) };
  }

  async function handle(request: CoreRequest): Promise<CoreAnswer> {
    const { body: source, signal, timing } = request;
    signal?.throwIfAborted();
    // Its answers may show the last use of keys.
    if (request.surface === 'admin' && request.method === 'GET') await usedKeys.flush();
    const body = source && new RequestBody(source);
    const isRead = body === undefined && request.method === 'GET';
    try {
      const reply = await callCores(list, {
        path: '/requests',
        head: headOf(request, requirementOf(request), body !== undefined),
        body: body ?? null,
        signal,
        // A write may take long, an import for example. It ends where its core answers no hello any more.
        timeout: isRead ? REQUEST_MS : 0,
        isRepeatable: isRead,
        key: request.surface === 'assets' ? request.path : undefined,
      });
      const answer = await readAnswer(reply, timing);
      newest = Math.max(newest, answer.sequence ?? 0);
      // What a caller wrote is what it reads next through this gateway.
      if (request.method !== 'GET' && answer.sequence !== undefined)
        await feed.reached(answer.sequence, OWN_WRITE_MS);
      return answer;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw body?.failure ? body.failure.error : publicError(error);
    } finally {
      body?.end();
    }
  }

  async function health(): Promise<HealthReport> {
    const cores = {
      ...Object.fromEntries(
        list.connections.map((one) => [`core ${one.name}`, partOf(one.failure, list.link(one))]),
      ),
      ...(stream && { stream: streamPart(stream) }),
    };
    try {
      const { ok, parts } = await json('health', null);
      return { ok, parts: { ...parts, ...cores } };
    } catch (error) {
      const { cause, message } = error as Error;
      const detail = cause instanceof Error ? cause.message : message;
      return { ok: false, parts: { core: { ok: false, detail }, ...cores } };
    }
  }

  return {
    handle,
    access: {
      project: async (id) => (await json('project', { id }, LOOKUP_MS)) ?? undefined,
      key: async (hash) => (await json('key', { hash }, LOOKUP_MS)) ?? undefined,
      isAdminToken: (hash) => json('admin-token', { hash }, LOOKUP_MS),
      used: (key) => usedKeys.add(key),
    },
    usage: {
      add: async (batch) => {
        await json('usage', batch);
      },
      quotas: (project) => json('quotas', { project }),
    },
    feed,
    onReport(source) {
      report = source;
    },
    openapi: () => json('openapi', null),
    health,
    cores: () =>
      list.connections.map((one) => {
        const { name, isAvailable, running, retries, losses } = one;
        return { name, isAvailable, running, retries, losses, link: list.link(one) };
      }),
    installation: () => list.connections.find((one) => one.installation !== undefined)?.installation,
    stream,
    async greeted() {
      await list.greeted;
      const { connections } = list;
      const foreign = connections.find(({ failure }) => failure instanceof ForeignCore);
      if (foreign?.failure && !connections.some((one) => one.isAvailable)) throw foreign.failure;
    },
    async close() {
      await usedKeys.close();
      stream?.close();
      await list.close();
    },
  };
}

function headOf(
  request: CoreRequest,
  { atLeast, isPlain }: Pick<RequestHead, 'atLeast' | 'isPlain'>,
  hasBody: boolean,
): string {
  const { surface, method, path, query, headers, bases, principal } = request;
  const { requestId, traceparent, client, known } = request;
  // Each property by name: with a rest of properties it takes three times as long.
  const head = {
    surface,
    method,
    path,
    query,
    headers,
    bases,
    principal,
    requestId,
    traceparent,
    client,
    known,
    atLeast,
    isPlain,
    hasBody,
  } satisfies Record<keyof RequestHead, unknown>;
  return toHeader(head);
}

function logState(log: CoreLog, { name, isAvailable, failure }: CoreConnection): void {
  if (isAvailable) log.info({ core: name }, 'A core answers.');
  else log.warn({ core: name, reason: failure?.message }, 'A core gets no calls.');
}

/** The health of one core, as far as this gateway knows it. */
function partOf(failure: Error | undefined, link: LinkReport | undefined): HealthReport['parts'][string] {
  if (failure !== undefined) return { ok: false, detail: failure.message };
  const { isFollowing = false, core, age = 0 } = link ?? {};
  const name = core === undefined ? '' : `${core.instance}, version ${core.version}, `;
  const feed = isFollowing ? `feed ${Math.round(age)} ms old` : `feed not followed: ${link?.failure}`;
  return { ok: isFollowing, detail: name + feed };
}

function streamPart({ failure }: Pick<StreamLink, 'failure'>): HealthReport['parts'][string] {
  return {
    ok: failure === undefined,
    detail:
      failure === undefined ? 'commits are read from Redis' : `commits come from cores alone: ${failure}`,
  };
}

/** What a caller of the gateway may see of a failure between gateway and core. */
function publicError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('unavailable', 'The service cannot answer at the moment; try again shortly.', {
    headers: { 'retry-after': '1' },
    cause: error,
  });
}
