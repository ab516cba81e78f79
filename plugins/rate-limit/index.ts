import { type Principal, ServiceError } from '../../core/contract.ts';
import { type ClientFacet, definePlugin } from '../contract.ts';
import type { Limiter, Limits, Verdict } from '../counters/limiter.ts';
import { LocalLimiter } from '../counters/local-limiter.ts';
import { rateLimitFields } from './fields.ts';
import { settings } from './schema.ts';

/** Limits the calls of a key. Only calls that passed `auth` get here, so only those count. */
export const plugin = definePlugin({
  name: 'rate-limit',
  phase: 'admit',
  surfaces: ['manage'],
  needs: ['principal'],
  settings,
  setup({ limits, keys, shadow, headers, nearPercent, subjects }, services) {
    const limiter: Limiter =
      services.limiter ?? services.state('limiter', () => new LocalLimiter(services.clock, subjects));
    const calls = services.metrics.counter('calls_total', 'Calls by verdict of the limiter.', ['verdict']);
    const near = services.metrics.counter('near_limit_total', 'Admitted calls near a limit.', ['window']);
    const own = new Map(
      Object.entries(keys).map(([id, some]) => [id.toLowerCase(), { ...limits, ...some } as Limits]),
    );

    return {
      handle: async function rateLimit(ctx, next) {
        const { principal, client, outcome } = ctx.state;
        const allowed = (principal.kind === 'key' && own.get(principal.key)) || limits;
        const verdict = await limiter.take(subjectOf(principal, client), allowed);
        outcome.limiter = verdict.admitted ? 'admitted' : shadow ? 'would-reject' : 'rejected';
        calls.inc({ verdict: outcome.limiter });
        if (headers) {
          for (const [name, value] of rateLimitFields(verdict)) ctx.res.setHeader(name, value);
        }
        if (verdict.admitted) countNear(verdict);
        else if (!shadow) throw rejection(verdict);
        return next();
      },
      activate: () => limiter.resize(subjects),
    };

    function countNear({ windows }: Verdict): void {
      for (const { name, limit, remaining } of windows) {
        if ((limit - remaining) * 100 >= limit * nearPercent) near.inc({ window: name });
      }
    }
  },
});

/** On a surface without keys an address is the subject. */
function subjectOf(principal: Principal, client: ClientFacet): string {
  if (principal.kind === 'key') return `key:${principal.key}`;
  return principal.kind === 'admin' ? 'admin' : `address:${client.address}`;
}

/** Whole seconds, rounded up: clients wait that long and then expect to be admitted (RFC 9110 section 10.2.3). */
function rejection({ waitMilliseconds, windows }: Verdict): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMilliseconds / 1000));
  const full = windows.filter(({ remaining }) => remaining === 0).at(-1);
  const what = full ? `${full.limit} calls per ${full.name}` : 'the calls it may make';
  return new ServiceError(
    'rateLimited',
    `The key has used up ${what}. Try again in ${seconds} s; rejected calls are not counted.`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
