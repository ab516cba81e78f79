import { COUNTED_SURFACES, type CountedSurface } from '../../core/contract.ts';
import { definePlugin, type ProjectFacet, type SurfaceFacet } from '../contract.ts';
import { CallCounts } from './call-counts.ts';
import { Quotas, quotaExceeded } from './quotas.ts';
import { settings } from './schema.ts';

const COUNTED: ReadonlySet<string> = new Set(COUNTED_SURFACES);

/** Counts the calls of each project, however they were answered, and stops those that are beyond its quota. */
export const plugin = definePlugin({
  name: 'usage',
  phase: 'admit',
  after: ['rate-limit'],
  surfaces: COUNTED_SURFACES,
  needs: ['project', 'principal'],
  settings,
  setup({ flushSeconds }, services) {
    const counts = services.state('counts', () => new CallCounts());
    const { usage } = services.core;
    // Shared with the pipeline before a reload, which may tell core of calls for as long as an old request runs.
    const quotas = services.state('quotas', () => new Quotas(usage, counts));
    const now = () => services.clock.now().getTime();
    let running: Promise<void> | undefined;
    const timer = setInterval(flushOnce, flushSeconds * 1000).unref();

    return {
      onRequest: ({ state: { project, surface } }) => (isWithinQuota(project, surface) ? 'next' : 'handle'),
      handle: async function countUsage({ state: { project, surface } }, next) {
        await quotas.ask(project.facts!.id);
        isWithinQuota(project, surface);
        return next();
      },
      onResponse({ state: { project, principal, surface, outcome } }) {
        const counted = countedOf(surface);
        // Who was turned away has not called, and what failed here is not the caller's bill.
        if (principal === undefined || outcome.status === 429 || outcome.status >= 500) return;
        if (project?.facts && counted !== undefined) counts.note(project.facts.id, counted, now());
      },
      async dispose() {
        clearInterval(timer);
        await running;
        await flush();
      },
    };

    /** Undefined where core has to be asked. @throws quotaExceeded */
    function isWithinQuota({ facts }: ProjectFacet, surface: SurfaceFacet): true | undefined {
      const counted = countedOf(surface);
      if (facts === null || counted === undefined) return true;
      const exceeded = quotas.usedUp(facts.id, counted, now);
      if (exceeded) throw quotaExceeded(exceeded, now());
      return exceeded === null ? true : undefined;
    }

    function flushOnce(): void {
      running ??= flush().finally(() => {
        running = undefined;
      });
    }

    async function flush(): Promise<void> {
      const sent = counts.begin();
      if (sent.length === 0) return;
      try {
        await usage.add(sent);
      } catch (error) {
        counts.failed();
        services.log.warn({ error }, 'calls could not be counted; they are told again');
        return;
      }
      // What core knows and what is still pending change in one turn, so that no quota sees a call twice or not at all.
      const known = await quotas.reread(sent.map(({ project }) => project)).catch(() => []);
      quotas.adopt(known);
      counts.arrived();
    }
  },
});

function countedOf({ name }: SurfaceFacet): CountedSurface | undefined {
  return COUNTED.has(name) ? (name as CountedSurface) : undefined;
}
