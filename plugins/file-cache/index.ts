import { type CancelSignal, CollapsedFetch, matchesEntityTag } from '../../core/contract.ts';
import { onDisconnect } from '../client-disconnect.ts';
import { CollapsedFetches } from '../collapsed-fetches.ts';
import { definePlugin, type Exchange, type GatewayContext, type Next } from '../contract.ts';
import { sendReady } from '../send-ready.ts';
import { sequenceHeader } from '../sequence-header.ts';
import { type FetchedAnswer, sendFetched, subrequest } from '../subrequest.ts';
import { fileKeys } from './file-keys.ts';
import { type KeptFile, KeptFiles } from './kept-files.ts';
import { settings } from './schema.ts';

interface Fetched {
  /** Undefined where the answer cannot be kept: it is for the request that started the fetch. */
  readonly file: KeptFile | undefined;
  readonly answer: FetchedAnswer;
}

/** Answers files and transformed pictures from memory; what is at an address never changes, it can only be deleted. */
export const plugin = definePlugin({
  name: 'file-cache',
  phase: 'reuse',
  surfaces: ['assets'],
  needs: ['requestId', 'project', 'principal'],
  settings,
  setup(options, services) {
    const files = services.state('files', () => new KeptFiles());
    const detach = files.attach(services.feed);
    const fetches = new CollapsedFetches<Fetched>();
    const keyOf = fileKeys();
    const bytes = services.metrics.gauge('bytes', 'Memory taken by kept files.');
    const count = services.metrics.gauge('entries', 'Files kept.');
    const omitted = ['content-length', sequenceHeader(services.vendor.header[0]!)];

    return {
      onRequest(exchange) {
        const { req, state } = exchange;
        const key = keyOf(req, state.surface);
        const file = key === undefined ? undefined : files.get(key);
        if (file === undefined) return 'handle';
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
        const began = services.clock.monotonic();
        const run = (signal: CancelSignal) => fetchFile(ctx, next, key, signal);
        // A client that has the file gets a 304, which is of no use to others.
        const isConditional = req.headers['if-none-match'] !== undefined;
        const { fetch, isOwn } = isConditional
          ? { fetch: new CollapsedFetch(run), isOwn: true }
          : fetches.joinCurrent(key, run);
        const stopListening = onDisconnect(res, fetch.join());
        const { file, answer } = await fetch.promise.finally(() => {
          stopListening();
          if (isOwn) outcome.upstreamMilliseconds = services.clock.monotonic() - began;
        });
        outcome.cache = isOwn ? 'miss' : 'collapsed';
        if (file !== undefined) {
          send(ctx, file);
          res.setHeader('cache-status', `headwater; fwd=uri-miss; ${isOwn ? 'stored' : 'collapsed'}`);
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

    async function fetchFile(
      ctx: GatewayContext,
      next: Next,
      key: string,
      signal: CancelSignal,
    ): Promise<Fetched> {
      const { accept, 'if-none-match': ifNoneMatch } = ctx.req.headers;
      const headers = {
        ...(accept !== undefined && { accept }),
        ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
      };
      const { path, query } = ctx.state.surface;
      const fetch = files.beginFetch();
      let answer: FetchedAnswer | undefined;
      let file: KeptFile | undefined;
      try {
        answer = await subrequest(ctx, next, { path, query, headers, signal });
      } finally {
        file = files.endFetch(fetch, key, answer, omitted);
      }
      bytes.set(files.bytes);
      count.set(files.count);
      return { file, answer };
    }
  },
});

function send(exchange: Exchange, file: KeptFile): 'responded' {
  const isUnchanged = matchesEntityTag(exchange.req.headers['if-none-match'], file.etag);
  return sendReady(exchange, isUnchanged ? 304 : 200, isUnchanged ? file.block304 : file.block, file.body);
}
