import type { CancelSignal, CoreRequest } from '../../core/contract.ts';
import { isFeedLost } from '../caching/feed-loss.ts';
import type { Pieces } from '../caching/pieces.ts';
import { sendReady, setHeaders } from '../caching/send-ready.ts';
import { sendFetched, subrequest } from '../caching/subrequest.ts';
import { definePlugin, type Exchange, type GatewayContext, type Next } from '../contract.ts';
import { type CacheDirectives, cacheDirectives } from '../http/cache-directives.ts';
import { onDisconnect } from '../http/client-disconnect.ts';
import { sequenceHeader } from '../http/sequence-header.ts';
import { AnswerCache, type Fetched } from './answer-cache.ts';
import { HeaderWriter } from './cache-headers.ts';
import { type CacheKey, cacheKeys } from './cache-key.ts';
import { Compressor, encodedBodies } from './encoded-bodies.ts';
import { type EncodedBody, type Entry, matchesEntry } from './entry.ts';
import { type ReusedEntry, type Run, reuser } from './reuse.ts';
import { settings } from './schema.ts';

/** Answers from memory, for as long as the change feed says that the cached answer holds. */
export const plugin = definePlugin({
  name: 'response-cache',
  phase: 'reuse',
  surfaces: ['delivery', 'preview'],
  needs: ['requestId', 'project', 'principal'],
  settings,
  setup(options, services) {
    const { clock, feed } = services;
    const [vendor = ''] = services.vendor.header;
    const cache = services.state('answers', () => new AnswerCache(options));
    const { browserSeconds, sharedSeconds, surrogateKeys } = options;
    const headerOptions = { browserSeconds, sharedSeconds, surrogateKeys, vendor };
    const { compressFromBytes, gzipLevel, brotliQuality } = options;
    const entrySettings = JSON.stringify({ ...headerOptions, compressFromBytes, gzipLevel, brotliQuality });
    const detach = cache.attach(feed, clock);
    const common = { clock, entrySettings, sequenceHeader: sequenceHeader(vendor) };
    const entryOptions = {
      public: { ...common, headers: new HeaderWriter({ ...headerOptions, isPublic: true }) },
      private: { ...common, headers: new HeaderWriter({ ...headerOptions, isPublic: false }) },
    };
    const keyOf = cacheKeys();
    const directives = cacheDirectives(services.vendor.header);
    const now = () => clock.monotonic();
    const isLost = () => isFeedLost(feed, clock);
    services.metrics.gauge('bytes', 'Memory taken by cached answers.', [], () => cache.bytes);
    services.metrics.gauge('entries', 'Answers cached.', [], () => cache.entries);
    const compressor = services.state('compressor', () => new Compressor());
    const bodies = encodedBodies(compressor, options, (key, entry) => cache.onGrown(key, entry));
    const reuse = reuser({
      cache,
      now,
      /** When an entry was last known to be current, while the feed is lost. */
      currentAt: ({ confirmed }) => (isLost() ? Math.max(feed.completeUntil, confirmed) : undefined),
      feedLost: options.feedLost,
      staleMilliseconds: options.staleMilliseconds,
      refreshMilliseconds: options.refreshMilliseconds,
      waitMilliseconds: options.waitSeconds * 1000,
      staleIfErrorMilliseconds: options.staleIfErrorSeconds * 1000,
    });

    return {
      /** Answers with a fresh entry, unless the request requires more than that. */
      onRequest(exchange) {
        const { req, state } = exchange;
        if (!isRead(req.method) || !directives.isPlain(req.headers)) return 'handle';
        const key = keyOf(sourceOf(state));
        const entry = key && cache.get(key.text);
        if (entry === undefined || !cache.versions.isFresh(entry)) return 'handle';
        if (entry.error !== undefined || isLost()) return 'handle';
        const body = bodies.ready(entry, req.headers['accept-encoding']);
        if (body === undefined) return 'handle';
        state.outcome.cache = 'hit';
        return send(exchange, entry, body, body.body);
      },
      handle: async function responseCache(ctx, next) {
        const { state, req, res } = ctx;
        const { outcome } = state;
        const isReadable = isRead(req.method) && !directives.isContinued(req.headers);
        const key = isReadable ? keyOf(sourceOf(state)) : undefined;
        if (key === undefined) return pass(ctx, next);
        const began = now();
        const directed = directives.read(req.headers);
        const run: Run = (signal, atLeast) => fetchAnswer(ctx, next, key, signal, atLeast);
        const found = await reuse(key.text, directed, run, (listener) => onDisconnect(res, listener)).catch(
          (error: unknown) => {
            outcome.upstreamMilliseconds = now() - began;
            throw error;
          },
        );
        if (found === 'pass') return pass(ctx, next);
        outcome.cache = found.verdict;
        if (found.verdict !== 'hit') outcome.upstreamMilliseconds = now() - began;
        if ('answer' in found) {
          onDisconnect(res, found.cancel);
          setHeaders(ctx, [
            'cache-status',
            'headwater; fwd=uri-miss',
            'cache-control',
            uncachedControl(key.isPublic),
          ]);
          sendFetched(ctx, found.answer);
          return;
        }
        const { entry } = found;
        if (entry.error !== undefined) {
          setHeaders(ctx, statusHeaders(found, directed));
          throw entry.error;
        }
        const accepted = req.headers['accept-encoding'];
        const body = await bodies.make(key.text, entry, accepted);
        send(ctx, entry, body, body.unjoined);
        setHeaders(ctx, statusHeaders(found, directed));
      },
      health: async () => ({ ok: true, detail: `${cache.entries} answers in ${cache.bytes} bytes` }),
      activate: () => cache.adopt(options, entrySettings),
      dispose: async () => detach(),
    };

    function fetchAnswer(
      ctx: GatewayContext,
      next: Next,
      key: CacheKey,
      signal: CancelSignal,
      atLeast: CoreRequest['atLeast'],
    ): Promise<Fetched> {
      const { path, query } = key;
      const made = key.isPublic ? entryOptions.public : entryOptions.private;
      return cache.fetch(made, key, (known) =>
        subrequest(ctx, next, { path, query, headers: {}, known, atLeast, signal }),
      );
    }

    /** A fresh entry was checked against all changes so far, so it shows at least the required sequence. */
    function statusHeaders(
      { entry, verdict, status }: ReusedEntry,
      { minSequence }: CacheDirectives,
    ): string[] {
      const sequence = verdict === 'hit' ? Math.max(entry.sequence, minSequence) : entry.sequence;
      return [...entry.headers.status(status), common.sequenceHeader, String(sequence)];
    }
  },
});

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

function sourceOf({ surface, bases, project }: GatewayContext['state']) {
  const isPublic = surface.name === 'delivery' && !project?.facts?.secureAccess;
  return { surface, bases, isPublic };
}

function send(
  exchange: Exchange,
  entry: Entry,
  { block, block304 }: EncodedBody,
  body: Buffer | Pieces,
): 'responded' {
  const isUnchanged = matchesEntry(exchange.req.headers['if-none-match'], entry);
  return sendReady(exchange, isUnchanged ? 304 : 200, isUnchanged ? block304 : block, body);
}

/** The answer to this request alone. */
function pass(ctx: GatewayContext, next: Next): Promise<void> {
  ctx.state.outcome.cache = 'bypass';
  if (isRead(ctx.method)) {
    ctx.set('cache-status', 'headwater; fwd=bypass');
    ctx.set('cache-control', uncachedControl(sourceOf(ctx.state).isPublic));
  }
  return next();
}

/** What is not cached here is not cached by shared caches in front either; a browser may revalidate. */
function uncachedControl(isPublic: boolean): string {
  return isPublic ? 'no-cache' : 'private, no-cache';
}
