import type { ServerResponse } from 'node:http';
import { onClientLeft } from '../client-left.ts';
import { definePlugin, type GatewayContext } from '../contract.ts';
import { coreRequest } from '../core-request.ts';
import { sendAnswer, sequenceHeader } from '../send-answer.ts';
import { sendReady } from '../send-ready.ts';
import { AnswerCache } from './answer-cache.ts';
import { HeaderWriter } from './cache-headers.ts';
import { questions } from './cache-key.ts';
import { Compressor, variants } from './encodings.ts';
import { matchesEntry } from './entry.ts';
import { type ReusedEntry, reuser, type Wish } from './reuse.ts';
import { settings } from './schema.ts';
import { wishes } from './wishes.ts';

const STREAM_BUFFER_BYTES = 65_536;

/** Answers what has been answered before, from memory, for as long as the change feed says that it holds. */
export const plugin = definePlugin({
  name: 'response-cache',
  phase: 'reuse',
  surfaces: ['delivery', 'preview'],
  needs: ['requestId', 'project', 'principal'],
  settings,
  setup(options, services) {
    const { clock, core } = services;
    const [vendor = ''] = services.vendor.header;
    const cache = services.state('answers', () => new AnswerCache(options));
    const { browserSeconds, sharedSeconds, surrogateKeys } = options;
    const written = { browserSeconds, sharedSeconds, surrogateKeys, vendor };
    const made = JSON.stringify(written);
    const detach = cache.attach(services.feed, clock);
    const writers = {
      public: new HeaderWriter({ ...written, isPublic: true }),
      private: new HeaderWriter({ ...written, isPublic: false }),
    };
    const questionOf = questions();
    const wishOf = wishes(services.vendor.header);
    const now = () => clock.monotonic();
    const bytes = services.metrics.gauge('bytes', 'Memory taken by kept answers.');
    const entries = services.metrics.gauge('entries', 'Answers kept.');
    const compressor = services.state('compressor', () => new Compressor());
    const encoded = variants(compressor, options, (key, entry) => {
      cache.grown(key, entry);
      bytes.set(cache.bytes);
    });
    const reuse = reuser({
      cache,
      now,
      async fetch(question, request) {
        const headers = question.isPublic ? writers.public : writers.private;
        const fetched = await cache.fetch({ core, clock, headers, made }, question, request);
        bytes.set(cache.bytes);
        entries.set(cache.entries);
        return fetched;
      },
      staleMilliseconds: options.staleMilliseconds,
      refreshMilliseconds: options.refreshMilliseconds,
      waitMilliseconds: options.waitSeconds * 1000,
      staleIfErrorMilliseconds: options.staleIfErrorSeconds * 1000,
    });
    const sending = {
      streamBufferBytes: STREAM_BUFFER_BYTES,
      onBrokenStream: (error: unknown) => services.log.error({ error }, 'a streamed answer broke off'),
      sequenceHeader: sequenceHeader(vendor),
    };

    function asked(state: GatewayContext['state']) {
      const { surface, bases, project } = state;
      const isPublic = surface.name === 'delivery' && !project?.facts?.secureAccess;
      return { surface, bases, isPublic };
    }

    /** A fresh one was checked against every change there is, so it shows what was asked for at least. */
    function statusOf({ entry, verdict, status }: ReusedEntry, { atLeast }: Wish): string[] {
      const sequence = verdict === 'hit' ? Math.max(entry.sequence, atLeast) : entry.sequence;
      return [...entry.headers.status(status), sending.sequenceHeader, String(sequence)];
    }

    return {
      fastPath: {
        answers: true,
        handle(exchange) {
          const { req, state } = exchange;
          const given = req.headers;
          if (!wishOf.isPlain(given)) return 'fallback';
          const question = questionOf(asked(state));
          if (question === undefined) return 'fallback';
          const entry = cache.get(question.key);
          if (entry === undefined || entry.error !== undefined || !cache.versions.isFresh(entry)) {
            return 'fallback';
          }
          const variant = encoded.ready(entry, given['accept-encoding'] as string | undefined);
          if (variant === undefined) return 'fallback';
          const isUnchanged = matchesEntry(given['if-none-match'], entry);
          const block = isUnchanged ? variant.block304 : variant.block;
          const { outcome } = state;
          outcome.cache = 'hit';
          if (isUnchanged) {
            sendReady(exchange, 304, block);
            return 'answered';
          }
          outcome.bytes = variant.body.length;
          sendReady(exchange, 200, block, req.method === 'HEAD' ? undefined : variant.body);
          return 'answered';
        },
      },
      handle: async function responseCache(ctx, next) {
        const { state, req } = ctx;
        const { outcome } = state;
        const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
        const question = isRead && !wishOf.isContinued(req.headers) ? questionOf(asked(state)) : undefined;
        if (question === undefined) return pass();
        const began = now();
        const wish = wishOf.of(req.headers);
        const asking = () => ({ ...coreRequest(ctx, {}), path: question.path, query: question.query });
        const onLeft = (listener: () => void) => onClientLeft(ctx.res, listener);
        const found = await reuse(question, wish, asking, onLeft).catch((error: unknown) => {
          outcome.upstreamMilliseconds = now() - began;
          throw error;
        });
        if (found === 'pass') return pass();
        outcome.cache = found.verdict;
        if (found.verdict !== 'hit') outcome.upstreamMilliseconds = now() - began;
        if ('answer' in found) {
          ctx.set('cache-status', 'headwater; fwd=uri-miss');
          ctx.set('cache-control', notKept(question.isPublic));
          onLeft(found.cancel);
          await sendAnswer(ctx, found.answer, sending);
          return;
        }
        const { entry } = found;
        const { error } = entry;
        if (error !== undefined) {
          set(ctx.res, statusOf(found, wish));
          throw error;
        }
        const variant = await encoded.made(
          question.key,
          entry,
          req.headers['accept-encoding'] as string | undefined,
        );
        const isUnchanged = matchesEntry(req.headers['if-none-match'], entry);
        set(ctx.res, isUnchanged ? variant.block304 : variant.block);
        set(ctx.res, statusOf(found, wish));
        ctx.status = isUnchanged ? 304 : 200;
        ctx.body = isUnchanged ? null : variant.body;

        function pass(): Promise<void> {
          outcome.cache = 'bypass';
          if (isRead) {
            ctx.set('cache-status', 'headwater; fwd=bypass');
            ctx.set('cache-control', notKept(asked(state).isPublic));
          }
          return next();
        }
      },
      health: async () => ({ ok: true, detail: `${cache.entries} answers in ${cache.bytes} bytes` }),
      activate: () => cache.adopt(options, made),
      dispose: async () => detach(),
    };
  },
});

/** What is not kept here is not kept by shared caches in front either; a browser may ask with the tag. */
function notKept(isPublic: boolean): string {
  return isPublic ? 'no-cache' : 'private, no-cache';
}

function set(res: ServerResponse, block: readonly string[]): void {
  for (let at = 0; at < block.length; at += 2) {
    const name = block[at]!;
    const before = name === 'vary' ? res.getHeader('vary') : undefined;
    const value = block[at + 1]!;
    res.setHeader(name, before === undefined ? value : `${String(before)}, ${value}`);
  }
}
