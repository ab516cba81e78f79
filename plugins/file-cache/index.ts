import type { IncomingMessage } from 'node:http';
import { type CoreAnswer, matchesEntityTag } from '../../core/contract.ts';
import { definePlugin, type GatewayContext } from '../contract.ts';
import { coreRequest, pickHeaders } from '../core-request.ts';
import { sendAnswer, sequenceHeader } from '../send-answer.ts';
import { sendReady } from '../send-ready.ts';
import { fileQuestions } from './file-question.ts';
import { type KeptFile, KeptFiles } from './kept-files.ts';
import { settings } from './schema.ts';

const STREAM_BUFFER_BYTES = 65_536;

/** Answers files and transformed pictures from memory; what is at an address never changes, it can only go. */
export const plugin = definePlugin({
  name: 'file-cache',
  phase: 'reuse',
  surfaces: ['assets'],
  needs: ['requestId', 'project', 'principal'],
  settings,
  setup(options, services) {
    const files = services.state('files', () => new KeptFiles());
    const detach = files.attach(services.feed);
    const underWay = new Map<string, Promise<KeptFile | undefined>>();
    const questionOf = fileQuestions();
    const bytes = services.metrics.gauge('bytes', 'Memory taken by kept files.');
    const count = services.metrics.gauge('entries', 'Files kept.');
    const sending = {
      streamBufferBytes: STREAM_BUFFER_BYTES,
      onBrokenStream: (error: unknown) => services.log.error({ error }, 'a streamed answer broke off'),
      sequenceHeader: sequenceHeader(services.vendor.header[0] ?? ''),
    };

    return {
      fastPath: {
        answers: true,
        handle(exchange) {
          const { req, state } = exchange;
          if (isInParts(req)) return 'fallback';
          const question = questionOf(state.surface, req.headers);
          const file = question === undefined ? undefined : files.get(question);
          if (file === undefined) return 'fallback';
          state.outcome.cache = 'hit';
          if (matchesEntityTag(req.headers['if-none-match'], file.etag)) {
            sendReady(exchange, 304, file.block304);
            return 'answered';
          }
          state.outcome.bytes = file.body.length;
          sendReady(exchange, 200, file.block, req.method === 'HEAD' ? undefined : file.body);
          return 'answered';
        },
      },
      handle: async function fileCache(ctx, next) {
        const { req, state } = ctx;
        const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
        const question = isRead && !isInParts(req) ? questionOf(state.surface, req.headers) : undefined;
        if (question === undefined) {
          state.outcome.cache = 'bypass';
          return next();
        }
        const file = files.get(question);
        if (file) return send(ctx, file, 'hit');
        const others = await underWay.get(question);
        if (others) return send(ctx, others, 'collapsed');
        return ask(ctx, question);
      },
      health: async () => ({ ok: true, detail: `${files.count} files in ${files.bytes} bytes` }),
      activate: () => files.adopt(options),
      dispose: async () => detach(),
    };

    async function ask(ctx: Context, question: string): Promise<void> {
      const { req, state } = ctx;
      const began = services.clock.monotonic();
      const asking = files.begin();
      let answer: CoreAnswer | undefined;
      const answering = services.core.handle(coreRequest(ctx, pickHeaders(req.headers)));
      // Somebody who has it already gets a 304, which is of no use to others.
      const isShared = req.headers['if-none-match'] === undefined && !underWay.has(question);
      const kept = answering
        .then(
          (came) => files.end(asking, question, came),
          (error: unknown) => {
            files.end(asking, question, undefined);
            throw error;
          },
        )
        .finally(() => isShared && underWay.delete(question));
      if (isShared) underWay.set(question, kept);
      try {
        answer = await answering;
        const file = await kept;
        bytes.set(files.bytes);
        count.set(files.count);
        if (file) return send(ctx, file, 'miss');
      } finally {
        kept.catch(() => {});
        state.outcome.upstreamMilliseconds = services.clock.monotonic() - began;
      }
      state.outcome.cache = 'miss';
      await sendAnswer(ctx, answer, sending);
    }
  },
});

type Context = GatewayContext<Parameters<typeof coreRequest>[0]['state']>;

const STATUS = {
  hit: 'headwater; hit',
  collapsed: 'headwater; fwd=uri-miss; collapsed',
  miss: 'headwater; fwd=uri-miss; stored',
};

function send(ctx: Context, file: KeptFile, verdict: keyof typeof STATUS): void {
  ctx.state.outcome.cache = verdict;
  const isUnchanged = matchesEntityTag(ctx.req.headers['if-none-match'], file.etag);
  const block = isUnchanged ? file.block304 : file.block;
  for (let at = 0; at < block.length; at += 2) {
    const [name = '', value = ''] = [block[at], block[at + 1]];
    if (name === 'vary') ctx.vary(value);
    else ctx.res.setHeader(name, value);
  }
  ctx.res.setHeader('cache-status', STATUS[verdict]);
  ctx.status = isUnchanged ? 304 : 200;
  ctx.body = isUnchanged ? null : file.body;
}

/** Core cuts parts, and judges preconditions that caches seldom see. */
function isInParts({ method, headers }: IncomingMessage): boolean {
  return (headers.range !== undefined && method !== 'HEAD') || headers['if-match'] !== undefined;
}
