import type Router from '@koa/router';
import { tokenHash } from '../../access/token-hash.ts';
import type { HealthReport } from '../../compose/core.ts';
import type { RunningCore } from '../../compose/create-core.ts';
import type { ProcessState } from '../../process-identity.ts';
import { proofOf } from '../protocol/signature.ts';
import { HEADERS, type Hello } from '../protocol/wire.ts';

const NONCE = /^[\w-]{16,64}$/;
/** Answers are given again for so long: probes need no secret, so many of them must not be work. */
const REMEMBERED_MS = 200;

export interface UnsignedRoutes {
  readonly token: string;
  readonly core: Pick<RunningCore, 'health' | 'access' | 'gatewayFeed'>;
  readonly self: () => ProcessState;
  readonly hello: () => Omit<Hello, 'proof'>;
  /** Prometheus text. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
}

/** `/hello`, `/health` and `/metrics`, for all who reach the address; details of `/health` need a token. */
export function unsignedRoutes(router: Router, options: UnsignedRoutes): void {
  const { token, core, hello, metrics } = options;
  const health = remembered(() => core.health());
  const metricsText = remembered(metrics);
  router.get('/health/live', (ctx) => {
    ctx.body = { status: 'ok' };
  });
  router.get('/health/ready', async (ctx) => {
    const ok = !hello().stopping && (await health()).ok;
    ctx.status = ok ? 200 : 503;
    ctx.body = { status: ok ? 'ok' : 'unavailable' };
  });
  router.get('/health', async (ctx) => {
    ctx.set('cache-control', 'no-store');
    const hash = tokenHash(ctx.get('authorization').replace(/^bearer /i, ''));
    if (hash !== tokenHash(token) && !(await core.access.isAdminToken(hash))) {
      ctx.status = 401;
      ctx.set('www-authenticate', 'Bearer');
      ctx.body = { message: 'Details need the internal token or the admin token, as a bearer token.' };
      return;
    }
    const { ok, parts } = await health();
    const isReady = ok && !hello().stopping;
    ctx.status = isReady ? 200 : 503;
    ctx.body = { status: isReady ? 'ok' : 'unavailable', parts: { ...ownParts(options), ...parts } };
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

function ownParts({ core, self, hello }: UnsignedRoutes): HealthReport['parts'] {
  const { instance, version } = self();
  const { stopping } = hello();
  const gateways = core.gatewayFeed.gateways.map(
    (one) => `${one.instance}, version ${one.version}, at sequence ${one.sequence}`,
  );
  return {
    core: { ok: !stopping, detail: `${instance}, version ${version}${stopping ? ', stopping' : ''}` },
    gateways: { ok: true, detail: gateways.length === 0 ? 'none is connected' : gateways.join('; ') },
  };
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
