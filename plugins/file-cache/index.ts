import { type CancelSignal, CollapsedFetch, matchesEntityTag } from '../../core/contract.ts';
import { CollapsedFetches, type Joined } from '../caching/collapsed-fetches.ts';
import { isCoreFailure } from '../caching/core-failure.ts';
import { isFeedLost, LOST_FEED_BOUND_MS } from '../caching/feed-loss.ts';
import { sendReady, setHeaders } from '../caching/send-ready.ts';
import { type FetchedAnswer, sendFetched, subrequest } from '../caching/subrequest.ts';
import { definePlugin, type Exchange, type GatewayContext, type Next } from '../contract.ts';
import { onDisconnect } from '../http/client-disconnect.ts';
import { sequenceHeader } from '../http/sequence-header.ts';
import { type CachedFile, CachedFiles } from './cached-files.ts';
import { fileKeys } from './file-keys.ts';
import { settings } from './schema.ts';

interface Fetched {
  /** Undefined where the answer cannot be cached: it is for the request that started the fetch. */
  readonly file: CachedFile | undefined;
  readonly answer: FetchedAnswer;
}

/** Answers files and transformed images from memory; what is at an address never changes, it can only be deleted. */
export const plugin = definePlugin({
  name: 'file-cache',
  phase: 'reuse',
  surfaces: ['assets'],
  needs: ['requestId', 'project', 'principal'],
  settings,
  setup(options, services) {
    const files = services.state('files', () => new CachedFiles());
    const { clock, feed } = services;
    const detach = files.attach(feed);
    const fetches = new CollapsedFetches<Fetched>();
    const keyOf = fileKeys();
    services.metrics.gauge('bytes', 'Memory taken by cached files.', [], () => files.bytes);
    services.metrics.gauge('entries', 'Files cached.', [], () => files.count);
    const staleIfErrorMs = options.staleIfErrorSeconds * 1000;
    const omitted = ['content-length', sequenceHeader(services.vendor.header[0]!)];

    return {
      onRequest(exchange) {
        const { req, state } = exchange;
        const key = keyOf(req, state.surface);
        const file = key === undefined ? undefined : files.get(key);
        if (file === undefined || isFeedLost(feed, clock)) return 'handle';
        state.outcome.cache = 'hit';
        return send(exchange, file);
      },
      handle: async function fileCache(ctx, next) {
        const { req, res, state } = ctx;
        const { outcome } = state;
        const key = keyOf(req, state.surface);
        if (key === undefined) {
          outcome.cache = 'bypass';
          return next();
        }
        const began = clock.monotonic();
        // Only while the feed is lost: otherwise it has been sent.
        const cached = files.get(key);
        if (cached !== undefined && options.feedLost === 'brief' && isKnown(cached, LOST_FEED_BOUND_MS)) {
          outcome.cache = 'stale';
          return sendFlagged(ctx, cached, 'feed-lost');
        }
        const { fetch, isOwn } = joinFetch(ctx, next, key, cached);
        const stopListening = onDisconnect(res, fetch.join());
        const fetched = await fetch.promise
          .catch((error: unknown) => {
            if (cached !== undefined && isCoreFailure(error) && isKnown(cached, staleIfErrorMs))
              return undefined;
            throw error;
          })
          .finally(() => {
            stopListening();
            if (isOwn) outcome.upstreamMilliseconds = clock.monotonic() - began;
          });
        if (fetched === undefined) {
          outcome.cache = 'stale-error';
          return sendFlagged(ctx, cached!, 'stale-if-error');
        }
        const { file, answer } = fetched;
        outcome.cache = isOwn ? (answer.status === 304 ? 'checked' : 'miss') : 'collapsed';
        if (file !== undefined) {
          send(ctx, file);
          const how = answer.status === 304 ? 'stale; fwd-status=304' : 'uri-miss';
          res.setHeader('cache-status', `headwater; fwd=${how}; ${isOwn ? 'stored' : 'collapsed'}`);
        } else if (isOwn) {
          onDisconnect(res, () => fetch.cancel());
          sendFetched(ctx, answer);
        } else {
          outcome.cache = 'miss';
          return next();
        }
      },
      health: async () => ({ ok: true, detail: `${files.count} files in ${files.bytes} bytes` }),
      activate: () => files.adopt(options),
      dispose: async () => detach(),
    };

    /** Whether the file was there so many milliseconds ago or later, as core or the feed has confirmed. */
    function isKnown({ confirmed }: CachedFile, milliseconds: number): boolean {
      return clock.monotonic() - Math.max(confirmed, feed.completeUntil) < milliseconds;
    }

    function joinFetch(
      ctx: GatewayContext,
      next: Next,
      key: string,
      cached: CachedFile | undefined,
    ): Joined<Fetched> {
      const run = (signal: CancelSignal) => fetchFile(ctx, next, key, signal, cached);
      if (cached !== undefined && options.feedLost === 'off') return fetches.joinNext(key, run);
      // A client that has the file gets a 304, which is of no use to others.
      const isConditional = cached === undefined && ctx.req.headers['if-none-match'] !== undefined;
      return isConditional ? { fetch: new CollapsedFetch(run), isOwn: true } : fetches.joinCurrent(key, run);
    }

    async function fetchFile(
      ctx: GatewayContext,
      next: Next,
      key: string,
      signal: CancelSignal,
      cached: CachedFile | undefined,
    ): Promise<Fetched> {
      const { accept } = ctx.req.headers;
      const ifNoneMatch = cached?.etag || ctx.req.headers['if-none-match'];
      const headers = {
        ...(accept !== undefined && { accept }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
      };
      const { path, query } = ctx.state.surface;
      const fetch = files.beginFetch(clock.monotonic());
      let answer: FetchedAnswer | undefined;
      let file: CachedFile | undefined;
      try {
        answer = await subrequest(ctx, next, { path, query, headers, signal });
      } finally {
        file = files.endFetch(fetch, key, answer, omitted, cached);
      }
      return { file, answer };
    }
  },
});

function send(exchange: Exchange, file: CachedFile): 'responded' {
  const isUnchanged = matchesEntityTag(exchange.req.headers['if-none-match'], file.etag);
  return sendReady(exchange, isUnchanged ? 304 : 200, isUnchanged ? file.block304 : file.block, file.body);
}

/** The file may have been deleted meanwhile. */
function sendFlagged(ctx: GatewayContext, file: CachedFile, detail: string): void {
  send(ctx, file);
  setHeaders(ctx, ['x-stale-content', '1', 'cache-status', `headwater; hit; detail=${detail}`]);
}
