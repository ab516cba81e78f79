import type Router from '@koa/router';
import type { Core } from '../../compose/core.ts';
import { proofOf } from '../protocol/signature.ts';
import { HEADERS, type Hello } from '../protocol/wire.ts';

const NONCE = /^[\w-]{16,64}$/;
/** Answers are given again for so long: probes need no secret, so many of them must not be work. */
const REMEMBERED_MS = 200;

export interface UnsignedRoutes {
  readonly token: string;
  readonly core: Pick<Core, 'health'>;
  readonly hello: () => Omit<Hello, 'proof'>;
  /** Prometheus text. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
}

/** `/hello`, `/health` and `/metrics`, for everybody who reaches the address. */
export function unsignedRoutes(router: Router, { token, core, hello, metrics }: UnsignedRoutes): void {
  const isHealthy = remembered(async () => (await core.health()).ok);
  const metricsText = remembered(metrics);
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const ok = !hello().stopping && (await isHealthy());
    ctx.status = ok ? 200 : 503;
    ctx.body = { status: ok ? 'ok' : 'unavailable' };
  });
  router.get('/metrics', async (ctx) => {
    const { type, text } = await metricsText();
    ctx.set('content-type', type);
    ctx.body = text;
  });
  router.get('/hello', (ctx) => {
    const nonce = ctx.get(HEADERS.nonce);
    if (!NONCE.test(nonce)) {
      ctx.status = 400;
      ctx.body = { message: `The header '${HEADERS.nonce}' must have 16 to 64 letters, digits or hyphens.` };
      return;
    }
    const facts = hello();
    ctx.body = { ...facts, proof: proofOf(token, nonce, facts) } satisfies Hello;
  });
}

function remembered<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let last: Promise<Value> | undefined;
  let at = 0;
  return () => {
    const now = performance.now();
    if (last === undefined || now - at > REMEMBERED_MS) {
      last = read();
      at = now;
    }
    return last;
  };
}
