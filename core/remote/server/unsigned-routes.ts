import type Router from '@koa/router';
import { tokenHash } from '../../access/token-hash.ts';
import type { RunningCore } from '../../compose/create-core.ts';
import { type HealthPath, type HealthReport, healthAnswer, remembered } from '../../http/health-report.ts';
import type { ProcessState } from '../../process-identity.ts';
import { proofOf } from '../protocol/signature.ts';
import { HEADERS, type Hello } from '../protocol/wire.ts';

const NONCE = /^[\w-]{16,64}$/;
/** Answers are given again for so long. */
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
  const health = remembered(() => core.health(), REMEMBERED_MS);
  const metricsText = remembered(metrics, REMEMBERED_MS);
  const report = async (): Promise<HealthReport> => {
    const { ok, parts } = await health();
    return { ok: ok && !hello().stopping, parts: { ...ownParts(options), ...parts } };
  };
  const answer = async (ctx: { status: number; body: unknown }, path: HealthPath) => {
    const { status, body } = await healthAnswer(path, report);
    ctx.status = status;
    ctx.body = body;
  };
  router.get('/health/live', (ctx) => answer(ctx, '/live'));
  router.get('/health/ready', (ctx) => answer(ctx, '/ready'));
  router.get('/health', async (ctx) => {
    ctx.set('cache-control', 'no-store');
    const hash = tokenHash(ctx.get('authorization').replace(/^bearer /i, ''));
    if (hash !== tokenHash(token) && !(await core.access.isAdminToken(hash))) {
      ctx.status = 401;
      ctx.set('www-authenticate', 'Bearer');
      ctx.body = { message: 'Details need the internal token or the admin token, as a bearer token.' };
      return;
    }
    await answer(ctx, '/');
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
